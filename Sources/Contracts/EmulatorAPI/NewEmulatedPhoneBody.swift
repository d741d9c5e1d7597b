package import LiveActivity

/// `POST /phones` of `apns-emulator`: a phone to be made.
package struct NewEmulatedPhoneBody: ControlBody {
    package let id: String
    /// The iOS version, such as `17.2`; 18.0 by default.
    package var osVersion: String?
    /// The app's bundle id, without a suffix.
    package let bundleID: String
    /// The environment of its tokens; production by default.
    package var environment: PushTokenBody.Environment?
    package var island: Bool?
    package var frequentUpdates: Bool?
    package var language: String?
    package var attributesType: String?
    /// Whether Live Activities are allowed.
    package var activities: Bool?
    /// Pushes of priority 10 in an hour, without and with frequent updates, and starts.
    package var standardBudget: Int?
    package var frequentBudget: Int?
    package var startBudget: Int?
    package var tokenDelaySeconds: Int?
    package var endedTokenSeconds: Int?
    /// Whether a scheduled card gets its token before it starts, and accepts pushes before.
    package var pendingHasToken: Bool?
    package var pendingTakesPushes: Bool?
    /// Seconds that the phone's clock is ahead.
    package var clockSkewSeconds: Int?
    /// Phones with one seed have the same tokens; the id's by default.
    package var tokenSeed: UInt64?
    /// Base URL of the service that its app registers with; the emulator's own by default.
    package var serviceURL: String?
    /// The token of the phone's customer; without one the app makes no requests.
    package var customerToken: String?
    /// The device's id at the service; the phone's by default.
    package var device: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, osVersion, bundleID, environment, island, frequentUpdates, language, attributesType, activities
        case standardBudget, frequentBudget, startBudget, tokenDelaySeconds, endedTokenSeconds, clockSkewSeconds
        case pendingHasToken, pendingTakesPushes, tokenSeed, serviceURL, customerToken, device
    }

    package init(id: String, bundleID: String) {
        self.id = id
        self.bundleID = bundleID
    }
}
