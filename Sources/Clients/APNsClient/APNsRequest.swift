public import Foundation
internal import TextCoding

/// Apple's host for a device's token.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Tokens of apps that were built for development.
    case sandbox
    /// All others.
    case production
}

/// One push to a Live Activity, or that starts one: its APNs headers and its body as sent.
public struct APNsRequest: Sendable, Hashable {
    /// Whether the phone is to show it at once.
    public enum Priority: Int, Sendable, Hashable {
        /// Immediate delivery; counts against the budget of Live Activities.
        case immediate = 10
        /// When it suits the phone's power; does not count.
        case opportunistic = 5
    }

    /// The device's or activity's token, hex of any even length.
    public var token: String
    public var environment: APNsEnvironment
    /// The whole topic, such as `shop.nordhavn.app.push-type.liveactivity`.
    public var topic: String
    public var priority: Priority
    /// Seconds since 1970 after which APNs no longer tries; 0 for one attempt that is not stored.
    public var expiration: Int
    /// Comes back with the answer.
    public var id: UUID
    /// JSON, at most ``bodyBytesMax``.
    public var body: [UInt8]

    public init(
        token: String, environment: APNsEnvironment, topic: String, priority: Priority, expiration: Int, id: UUID,
        body: [UInt8]
    ) {
        self.token = token
        self.environment = environment
        self.topic = topic
        self.priority = priority
        self.expiration = expiration
        self.id = id
        self.body = body
    }

    /// Bytes of a body for a device.
    ///
    /// - Source: Apple, "Sending notification requests to APNs": 4 KB for all but VoIP.
    public static let bodyBytesMax = 4_096

    /// Far above the longest token seen (200 characters), and far below the size of a header block.
    static let tokenCharactersMax = 1_024

    /// Why it must not be sent; nil if it may.
    var fault: APNsNotSentCause? {
        if body.count > Self.bodyBytesMax { return .bodyTooLarge(bytes: body.count) }
        if body.isEmpty { return .invalidRequest("the body is empty") }
        guard !token.isEmpty, Hexadecimal.decode(token) != nil else {
            return .invalidRequest("the token is not hex of an even length")
        }
        if token.utf8.count > Self.tokenCharactersMax {
            return .invalidRequest("the token is longer than \(Self.tokenCharactersMax) characters")
        }
        guard !topic.isEmpty, topic.utf8.allSatisfy(\.isVisible) else {
            return .invalidRequest("the topic \(topic.debugDescription) is no bundle id")
        }
        if expiration < 0 { return .invalidRequest("the expiration \(expiration) is before 1970") }
        return nil
    }
}

extension UInt8 {
    /// ASCII without blanks and control characters, so that no value can be more than one header.
    fileprivate var isVisible: Bool { (0x21...0x7e).contains(self) }
}
