/// Why a subscription is not taken.
public enum WebPushSubscriptionError: Error, Sendable, Hashable, CustomStringConvertible {
    case endpointTooLong
    case endpointNotHTTPS
    case endpointWithUser
    /// It names its server by an address, however written; no push service's does.
    case endpointAtAddress
    /// Its name is one that means a machine or network of the sender's own.
    case endpointAtLocalName
    /// It is of a push service that messages are not sent to.
    case endpointOfAnotherService
    /// It is not a URL of a host in characters that URLs have; a fragment counts as such a fault.
    case endpointMalformed
    case p256dhNotBase64URL
    /// It is not 65 bytes of an uncompressed point on the curve P-256.
    case p256dhNotAPoint
    case authNotBase64URL
    /// It is not 16 bytes.
    case authOfWrongLength

    /// Where the fault is, in the JSON of a subscription.
    public var property: String {
        switch self {
        case .endpointTooLong, .endpointNotHTTPS, .endpointWithUser, .endpointAtAddress, .endpointAtLocalName,
            .endpointOfAnotherService, .endpointMalformed:
            "endpoint"
        case .p256dhNotBase64URL, .p256dhNotAPoint: "keys.p256dh"
        case .authNotBase64URL, .authOfWrongLength: "keys.auth"
        }
    }

    /// In one line, without what was sent.
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
