/// Why a subscription is invalid.
public enum WebPushSubscriptionError: Error, Sendable, Hashable, CustomStringConvertible {
    case endpointTooLong
    case endpointNotHTTPS
    case endpointWithUser
    /// The endpoint names its server by an address; no push service does.
    case endpointAtAddress
    /// The endpoint's name denotes a machine or network of the sender's own.
    case endpointAtLocalName
    /// The endpoint is of a push service to which no messages are sent.
    case endpointOfAnotherService
    /// The endpoint is not a URL with a host and legal characters; a fragment is a fault too.
    case endpointMalformed
    case p256dhNotBase64URL
    /// The key is not 65 bytes of an uncompressed point on the curve P-256.
    case p256dhNotAPoint
    case authNotBase64URL
    /// The secret is not 16 bytes.
    case authOfWrongLength

    /// The faulty property in the JSON of a subscription.
    public var property: String {
        switch self {
        case .endpointTooLong, .endpointNotHTTPS, .endpointWithUser, .endpointAtAddress, .endpointAtLocalName,
            .endpointOfAnotherService, .endpointMalformed:
            "endpoint"
        case .p256dhNotBase64URL, .p256dhNotAPoint: "keys.p256dh"
        case .authNotBase64URL, .authOfWrongLength: "keys.auth"
        }
    }

    /// A description in one line, without the sent values.
    public var description: String {
        switch self {
        case .endpointTooLong: "the endpoint has more than \(WebPushSubscription.endpointBytesMax) characters"
        case .endpointNotHTTPS: "the endpoint is not an https:// URL"
        case .endpointWithUser: "the endpoint has a user in it"
        case .endpointAtAddress: "the endpoint is at an address instead of a name"
        case .endpointAtLocalName: "the endpoint is at a name of a local network"
        case .endpointOfAnotherService: "the endpoint is of a push service that is not allowed"
        case .endpointMalformed: "the endpoint is not a URL"
        case .p256dhNotBase64URL: "the key p256dh is not base64url"
        case .p256dhNotAPoint: "the key p256dh is not an uncompressed point of P-256"
        case .authNotBase64URL: "the secret auth is not base64url"
        case .authOfWrongLength: "the secret auth is not \(WebPushSubscription.authBytes) bytes"
        }
    }
}
