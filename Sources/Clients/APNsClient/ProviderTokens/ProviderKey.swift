internal import Crypto
internal import Foundation
internal import TextCoding

/// A team's key for signing provider tokens, from Apple's developer pages.
public struct ProviderKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The key's id, ten characters, shown at the key in Apple's developer account.
    let keyID: String
    /// Ten characters, of the membership.
    let teamID: String
    private let privateKey: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - file: the path of the `.p8` file.
    ///   - settings: how the settings of the three are called, for errors.
    /// - Throws: `APNsConfigurationError` that names the file or the setting.
    public init(
        file: String, keyID: String, teamID: String, settings: SettingNames = SettingNames()
    ) throws(APNsConfigurationError) {
        let pem: String
        do {
            pem = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        } catch {
            throw APNsConfigurationError(
                setting: settings.file,
                problem: "the key file \(file) cannot be read",
                advice: "Give the path of the .p8 file, and let this process read it.")
        }
        try self.init(pem: pem, source: file, keyID: keyID, teamID: teamID, settings: settings)
    }

    /// - Parameter source: where the text is from, for errors.
    /// - Throws: `APNsConfigurationError` that names the source or the setting.
    public init(
        pem: String, source: String, keyID: String, teamID: String, settings: SettingNames = SettingNames()
    ) throws(APNsConfigurationError) {
        try Self.check(keyID, setting: settings.keyID, called: "key id", place: "beside the key, under Keys")
        try Self.check(teamID, setting: settings.teamID, called: "team id", place: "under Membership")
        self.keyID = keyID
        self.teamID = teamID
        do {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw APNsConfigurationError(
                setting: settings.file, problem: "\(source) \(PrivateKeyFault(pem: pem).text)",
                advice: "Use the .p8 file as Apple's developer pages gave it (Keys, Apple Push Notifications service).")
        }
    }

    /// The names of the service's settings for the key.
    public struct SettingNames: Sendable {
        public var file: String
        public var keyID: String
        public var teamID: String

        public init(file: String = "apns.key.file", keyID: String = "apns.key.id", teamID: String = "apns.team.id") {
            self.file = file
            self.keyID = keyID
            self.teamID = teamID
        }
    }

    /// The ids, without the key.
    public var description: String { "APNs key \(keyID) of team \(teamID)" }
    /// The same as ``description``, so that a dump does not leak.
    public var debugDescription: String { description }

    /// A JSON Web Token that authenticates the provider, signed with ES256 (RFC 7518: r and s, 32 bytes each).
    ///
    /// JWTKit's keys are an actor; signing under a lock keeps a second token from being signed.
    /// The tests read it with JWTKit.
    /// - Source: Apple, "Establishing a token-based connection to APNs".
    func sign(issuedAt seconds: Int) throws -> String {
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(teamID)","iat":\#(seconds)}"#.utf8)
        let signature = try privateKey.signature(for: Data("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(Base64URL.encode(signature.rawRepresentation))"
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
