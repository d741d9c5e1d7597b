package import PhoneRules

/// The request body of `POST /phones/{id}/actions` of `apns-emulator`: an action on a phone.
package struct PhoneActionBody: ControlBody, Hashable {
    package enum Action: String, Codable, CaseIterable, Sendable {
        /// The system ends the app: the next start launches it.
        case killApp = "kill-app"
        /// The person ends the app: nothing launches it but to open it.
        case forceQuit = "force-quit"
        case launchApp = "launch-app"
        /// The person leaves the app, which continues in the background for half a minute.
        case leaveApp = "leave-app"
        case goOffline = "go-offline"
        case goOnline = "go-online"
        case swipe
        /// The person taps a button of a card; with its verb.
        case tapButton = "tap-button"
        case switchActivitiesOff = "switch-activities-off"
        case switchActivitiesOn = "switch-activities-on"
        case switchFrequentUpdatesOff = "switch-frequent-updates-off"
        case switchFrequentUpdatesOn = "switch-frequent-updates-on"
        /// The person holds the island open, or releases it.
        case holdIsland = "hold-island"
        case releaseIsland = "release-island"
        /// Starts or updates another app's activity in the island, which makes the card minimal, or ends it; with its
        /// kind.
        case addOtherApp = "add-other-app"
        case removeOtherApp = "remove-other-app"
        case rotateStartToken = "rotate-start-token"
        case rotateUpdateToken = "rotate-update-token"
        case exhaustBudget = "exhaust-budget"
        case exhaustStartBudget = "exhaust-start-budget"
        case setClockSkew = "set-clock-skew"
    }

    package let action: Action
    /// With `swipe`, `tap-button` and `rotate-update-token`: the card's `Activity.id`; every live card when nil.
    package var instance: String?
    /// With `tap-button`, such as `leave-at-door`; a card without that button is unaffected.
    package var verb: String?
    /// With a rotation: whether the former token is still answered 200 while nothing happens.
    package var deaf: Bool?
    /// With `set-clock-skew`: seconds.
    package var seconds: Int?
    /// With `add-other-app`: an app by default; with `remove-other-app`: every kind by default.
    package var kind: Phone.OtherApp.Kind?

    package enum CodingKeys: String, CodingKey, CaseIterable { case action, instance, verb, deaf, seconds, kind }

    package init(
        _ action: Action, instance: String? = nil, verb: String? = nil, kind: Phone.OtherApp.Kind? = nil
    ) {
        self.action = action
        self.instance = instance
        self.verb = verb
        self.kind = kind
    }
}
