internal import Crypto
internal import TextCoding

/// A browser's push address and encryption keys: the JSON of `PushSubscription.toJSON()`.
///
/// The sender of a subscription chooses the endpoint, and with it a server to which this process will send requests
/// (server-side request forgery). This type rejects what the text alone shows: plain http, a user, an address in place
/// of a name, and a name that only a local network resolves. The client follows no redirect, and never exposes a
/// server's answer.
///
/// The text cannot show the name's address, which may change at the next look-up. The operator has to prevent that:
/// restrict the process to public addresses, by network rules or a namespace, where it could reach private machines. A
/// caller that knows its push services compares ``host`` with them before it stores a subscription.
///
/// Decoding ignores `expirationTime`, which no browser sets; the push service answers an expired subscription as gone.
public struct WebPushSubscription: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The longest accepted endpoint; those of the known push services have 100 to 1,000 bytes.
    static let endpointBytesMax = 2_048
    /// The length of ``p256dh``.
    static let p256dhBytes = 65
    /// The length of ``auth``.
    ///
    /// - Source: RFC 8291, section 3.2.
    static let authBytes = 16

    let address: WebPushEndpoint
    /// The browser's public key: an uncompressed point of P-256.
    public let p256dh: [UInt8]
    /// The authentication secret that the browser shares with senders.
    public let auth: [UInt8]

    /// Parses the three texts of the JSON; base64url with or without padding.
    /// - Throws: ``WebPushSubscriptionError`` for the first invalid property.
    public init(endpoint: String, p256dh: String, auth: String) throws(WebPushSubscriptionError) {
        try self.init(endpoint: endpoint, p256dh: p256dh, auth: auth, reach: .publicNames)
    }

    /// Same as ``init(endpoint:p256dh:auth:)``, for tests also at this machine's own addresses.
    /// - Throws: ``WebPushSubscriptionError`` for the first invalid property.
    package init(
        endpoint: String, p256dh: String, auth: String, allowsLoopback: Bool
    ) throws(WebPushSubscriptionError) {
        // The check for public names below throws the error of an endpoint that is not loopback either.
        let isLoopback = allowsLoopback && (try? WebPushEndpoint(endpoint, reach: .loopback)) != nil
        try self.init(endpoint: endpoint, p256dh: p256dh, auth: auth, reach: isLoopback ? .loopback : .publicNames)
    }

    init(
        endpoint: String, p256dh: String, auth: String, reach: WebPushEndpoint.Reach
    ) throws(WebPushSubscriptionError) {
        address = try WebPushEndpoint(endpoint, reach: reach)
        // Longer ones cannot be right, and are not decoded.
        guard p256dh.utf8.count <= 2 * Self.p256dhBytes, let point = Base64URL.decode(optionallyPadded: p256dh) else {
            throw .p256dhNotBase64URL
        }
        // `p256dhNotAPoint` is the only reason why a key of this length is refused.
        guard point.count == Self.p256dhBytes, (try? P256.KeyAgreement.PublicKey(x963Representation: point)) != nil
        else { throw .p256dhNotAPoint }
        self.p256dh = point
        guard auth.utf8.count <= 4 * Self.authBytes, let secret = Base64URL.decode(optionallyPadded: auth) else {
            throw .authNotBase64URL
        }
        guard secret.count == Self.authBytes else { throw .authOfWrongLength }
        self.auth = secret
    }

    /// The URL to which messages are sent; it identifies the browser, so it is never logged.
    public var endpoint: String { address.url }
    /// ``p256dh`` and ``auth`` as a browser has them: base64url without padding.
    public var keyTexts: (p256dh: String, auth: String) { (Base64URL.encode(p256dh), Base64URL.encode(auth)) }
    /// The push service's name, in lower case.
    public var host: String { address.host }

    /// The push service, without the part that identifies the browser.
    public var description: String { "a subscription at \(address.origin)" }
    /// The same as ``description``, so that a dump does not leak.
    public var debugDescription: String { description }
}

extension WebPushSubscription: Codable {
    private enum CodingKeys: CodingKey { case endpoint, keys }
    private enum KeyNames: CodingKey { case p256dh, auth }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let keys = try values.nestedContainer(keyedBy: KeyNames.self, forKey: .keys)
        let endpoint = try values.decode(String.self, forKey: .endpoint)
        let (p256dh, auth) = (
            try keys.decode(String.self, forKey: .p256dh), try keys.decode(String.self, forKey: .auth)
        )
        do throws(WebPushSubscriptionError) {
            try self.init(endpoint: endpoint, p256dh: p256dh, auth: auth)
        } catch {
            let path: [any CodingKey] =
                switch error.property {
                case "endpoint": [CodingKeys.endpoint]
                case "keys.p256dh": [CodingKeys.keys, KeyNames.p256dh]
                default: [CodingKeys.keys, KeyNames.auth]
                }
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath + path, debugDescription: error.description, underlyingError: error))
        }
    }

    /// Encodes as browsers do, without padding and `expirationTime`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(endpoint, forKey: .endpoint)
        var keys = values.nestedContainer(keyedBy: KeyNames.self, forKey: .keys)
        try keys.encode(keyTexts.p256dh, forKey: .p256dh)
        try keys.encode(keyTexts.auth, forKey: .auth)
    }
}
