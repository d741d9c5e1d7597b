internal import TextCoding

/// A team's key for signing provider tokens, from Apple's developer pages.
public struct ProviderKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The key's id, ten characters, shown at the key in Apple's developer account.
    let keyID: String
    /// Ten characters, of the membership.
    let teamID: String
    private let key: ES256Key

    /// - Parameter source: where the text is from, for errors.
    /// - Throws: `APNsConfigurationError` that names the source or the setting.
    public init(pem: String, source: String, keyID: String, teamID: String) throws(APNsConfigurationError) {
        try Self.check(keyID, setting: "apns.key.id", called: "key id", place: "beside the key, under Keys")
        try Self.check(teamID, setting: "apns.team.id", called: "team id", place: "under Membership")
        self.keyID = keyID
        self.teamID = teamID
        do {
            key = try ES256Key(pem: pem)
        } catch {
            throw APNsConfigurationError(
                setting: "apns.key.file", problem: "\(source) \(error.text)",
                advice: "Use the .p8 file as Apple's developer pages gave it (Keys, Apple Push Notifications service).")
        }
    }

    /// The ids, without the key.
    public var description: String { "APNs key \(keyID) of team \(teamID)" }
    /// The same as ``description``, so that a dump does not leak.
    public var debugDescription: String { description }

    /// A JSON Web Token that authenticates the provider.
    ///
    /// - Source: Apple, "Establishing a token-based connection to APNs".
    func sign(issuedAt seconds: Int) throws -> String {
        try key.sign(
            header: #"{"alg":"ES256","kid":"\#(keyID)"}"#, claims: #"{"iss":"\#(teamID)","iat":\#(seconds)}"#)
    }

    private static func check(
        _ id: String, setting: String, called name: String, place: String
    ) throws(APNsConfigurationError) {
        guard id.utf8.count == 10, id.utf8.allSatisfy(\.isASCIILetterOrDigit) else {
            throw APNsConfigurationError(
                setting: setting, problem: "the \(name) \(id.debugDescription) is not ten letters and digits",
                advice: "Copy it from Apple's developer pages, \(place).")
        }
    }
}

/// A setting that APNs cannot be reached with.
public struct APNsConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The setting's name.
    public let setting: String
    public let problem: String
    /// The remedy, for the operator.
    public let advice: String

    /// A description in one line.
    public var description: String { "\(setting): \(problem). \(advice)" }
}
