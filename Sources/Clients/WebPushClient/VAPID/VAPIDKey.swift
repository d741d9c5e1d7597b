internal import Crypto
internal import Foundation
internal import TextCoding

/// The key by which push services identify the sender, and to which a browser restricts its subscription.
///
/// - Source: RFC 8292 (VAPID).
public struct VAPIDKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let privateKey: P256.Signing.PrivateKey
    /// The contact for a push service's operators.
    let contact: String

    /// The public key in base64url, for a page's `PushManager.subscribe` as `applicationServerKey`.
    ///
    /// Subscriptions belong to the key: after a change of the key they are unusable.
    public let applicationServerKey: String

    /// - Parameters:
    ///   - file: the path of a PEM file.
    ///   - settings: how the settings of the two are called, for errors.
    /// - Throws: `WebPushConfigurationError` that names the file or the setting.
    public init(
        file: String, contact: String, settings: SettingNames = SettingNames()
    ) throws(WebPushConfigurationError) {
        let pem: String
        do {
            pem = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        } catch {
            throw WebPushConfigurationError(
                setting: settings.file, problem: "the key file \(file) cannot be read",
                advice: "Give the path of a PEM file, and let this process read it.")
        }
        try self.init(pem: pem, source: file, contact: contact, settings: settings)
    }

    /// - Parameters:
    ///   - source: where the text is from, for errors.
    ///   - contact: a `mailto:` address or an `https://` URL.
    /// - Throws: `WebPushConfigurationError` that names the source or the setting.
    public init(
        pem: String, source: String, contact: String, settings: SettingNames = SettingNames()
    ) throws(WebPushConfigurationError) {
        guard Self.isContact(contact) else {
            throw WebPushConfigurationError(
                setting: settings.contact,
                problem: "\(contact.debugDescription) is neither a mailto: address nor an https:// URL",
                advice: "Say where push services can reach whoever sends, such as mailto:push@shop.example.")
        }
        self.contact = contact
        do {
            privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw WebPushConfigurationError(
                setting: settings.file, problem: "\(source) \(PrivateKeyFault(pem: pem).text)",
                advice: "Make one with: openssl ecparam -name prime256v1 -genkey -noout.")
        }
        applicationServerKey = Base64URL.encode(privateKey.publicKey.x963Representation)
    }

    /// The names of the service's settings for the key.
    public struct SettingNames: Sendable {
        public var file: String
        public var contact: String

        public init(file: String = "web.push.key.file", contact: String = "web.push.contact") {
            self.file = file
            self.contact = contact
        }
    }

    /// The public key and the contact, without the private key.
    public var description: String { "VAPID key \(applicationServerKey) of \(contact)" }
    /// The same as ``description``, so that a dump does not leak.
    public var debugDescription: String { description }

    /// The value of `Authorization` for requests to one push service.
    ///
    /// The token is signed as APNs' are: ES256 as RFC 7518 writes it, by swift-crypto, so that a lock can be held.
    /// - Parameters:
    ///   - audience: the origin of the endpoint.
    ///   - expiry: seconds since 1970, at most 24 hours from now.
    func authorization(audience: String, expiry: Int) throws -> String {
        // Neither origins nor contacts have a character that JSON escapes.
        let claims = #"{"aud":"\#(audience)","exp":\#(expiry),"sub":"\#(contact)"}"#
        let content = Self.header + "." + Base64URL.encode(Array(claims.utf8))
        let signature = try privateKey.signature(for: Data(content.utf8))
        return "vapid t=\(content).\(Base64URL.encode(signature.rawRepresentation)), k=\(applicationServerKey)"
    }

    private static let header = Base64URL.encode(Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8))

    /// Far above any address, and far below the limit of a header.
    private static let contactBytesMax = 256

    private static func isContact(_ text: String) -> Bool {
        guard text.utf8.count <= contactBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#""\"#.utf8.contains($0) })
        else { return false }
        if text.hasPrefix("mailto:") { return text.dropFirst("mailto:".count).wholeMatch(of: /[^@]+@[^@]+/) != nil }
        return text.hasPrefix("https://") && text.utf8.count > "https://".utf8.count
    }
}
