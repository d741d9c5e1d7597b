internal import Crypto
internal import Foundation

/// A team's key for signing provider tokens, from Apple's developer pages.
public struct ProviderKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Ten characters, beside the key where it was made.
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
                setting: settings.file, problem: "\(source) \(Self.fault(of: pem))",
                advice: "Use the .p8 file as Apple's developer pages gave it (Keys, Apple Push Notifications service).")
        }
    }

    /// How a service calls the settings of the key.
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

    /// A JSON Web Token that says who sends, signed with ES256 as RFC 7518 writes it: r and s, 32 bytes each.
    ///
    /// Not by JWTKit, whose keys are an actor: a lock is held while a token is signed, so that there is never a second.
    /// The tests read it with JWTKit.
    /// - Source: Apple, "Establishing a token-based connection to APNs".
    func sign(issuedAt seconds: Int) throws -> String {
        let header = Data(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8).base64URL
        let claims = Data(#"{"iss":"\#(teamID)","iat":\#(seconds)}"#.utf8).base64URL
        let signature = try privateKey.signature(for: Data("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(signature.rawRepresentation.base64URL)"
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

    /// What kind of file it is instead.
    private static func fault(of text: String) -> String {
        if text.contains("BEGIN CERTIFICATE") { return "is a certificate, not a private key" }
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") { return "is encrypted, Apple's keys are not" }
        if text.contains("BEGIN PUBLIC KEY") { return "is a public key, not a private one" }
        if text.contains("PRIVATE KEY") { return "is not a private key of the curve P-256" }
        return "is not a PEM file with a private key"
    }
}

/// A setting that APNs cannot be reached with.
public struct APNsConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its name.
    public let setting: String
    public let problem: String
    /// What to do next.
    public let advice: String

    /// In one line.
    public var description: String { "\(setting): \(problem). \(advice)" }
}

extension Data {
    /// Base64 for URLs, without padding.
    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
