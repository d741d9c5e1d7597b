internal import TextCoding

/// The key by which push services identify the sender, and to which a browser restricts its subscription.
///
/// - Source: RFC 8292 (VAPID).
public struct VAPIDKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let key: ES256Key
    /// The contact for a push service's operators.
    let contact: String

    /// The public key in base64url, for a page's `PushManager.subscribe` as `applicationServerKey`.
    ///
    /// Subscriptions belong to the key: after a change of the key they are unusable.
    public var applicationServerKey: String { key.publicPoint }

    /// - Parameters:
    ///   - source: where the text is from, for errors.
    ///   - contact: a `mailto:` address or an `https://` URL.
    /// - Throws: `WebPushConfigurationError` that names the source or the setting.
    public init(pem: String, source: String, contact: String) throws(WebPushConfigurationError) {
        guard Self.isContact(contact) else {
            throw WebPushConfigurationError(
                setting: "web.push.contact",
                problem: "\(contact.debugDescription) is neither a mailto: address nor an https:// URL",
                advice: "Say where push services can reach whoever sends, such as mailto:push@shop.example.")
        }
        self.contact = contact
        do {
            key = try ES256Key(pem: pem)
        } catch {
            throw WebPushConfigurationError(
                setting: "web.push.key.file", problem: "\(source) \(error.text)",
                advice: "Make one with: openssl ecparam -name prime256v1 -genkey -noout.")
        }
    }

    /// The public key and the contact, without the private key.
    public var description: String { "VAPID key \(applicationServerKey) of \(contact)" }
    /// The same as ``description``, so that a dump does not leak.
    public var debugDescription: String { description }

    /// The value of `Authorization` for requests to one push service.
    ///
    /// - Parameters:
    ///   - audience: the origin of the endpoint.
    ///   - expiry: seconds since 1970, at most 24 hours from now.
    func authorization(audience: String, expiry: Int) throws -> String {
        // Neither origins nor contacts have a character that JSON escapes.
        let token = try key.sign(
            header: #"{"typ":"JWT","alg":"ES256"}"#,
            claims: #"{"aud":"\#(audience)","exp":\#(expiry),"sub":"\#(contact)"}"#)
        return "vapid t=\(token), k=\(applicationServerKey)"
    }

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
