public import Foundation
internal import TextCoding

/// Apple's host for a device's token.
public enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Tokens of apps that were built for development.
    case sandbox
    /// All others.
    case production
}

/// One notification for one device: its APNs headers and its body as sent.
public struct APNsRequest: Sendable, Hashable {
    /// The `apns-push-type` of a notification; open, since Apple adds types.
    public struct PushType: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Starts, updates and ends Live Activities.
        public static let liveActivity = PushType(rawValue: "liveactivity")
        /// Shows an alert, plays a sound or sets a badge.
        public static let alert = PushType(rawValue: "alert")
        /// Wakes the app without showing anything.
        public static let background = PushType(rawValue: "background")
    }

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
    public var pushType: PushType
    public var priority: Priority
    /// Seconds since 1970 after which APNs no longer tries; 0 for one attempt that is not stored.
    public var expiration: Int
    /// Comes back with the answer.
    public var id: UUID
    /// The collapse id, at most 64 bytes.
    public var collapseID: String?
    /// JSON, at most ``bodyBytesMax``.
    public var body: [UInt8]

    public init(
        token: String, environment: APNsEnvironment, topic: String, pushType: PushType = .liveActivity,
        priority: Priority, expiration: Int, id: UUID, collapseID: String? = nil, body: [UInt8]
    ) {
        self.token = token
        self.environment = environment
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.id = id
        self.collapseID = collapseID
        self.body = body
    }

    /// Bytes of a body for a device.
    ///
    /// - Source: Apple, "Sending notification requests to APNs": 4 KB for all but VoIP.
    public static let bodyBytesMax = 4_096

    /// - Source: Apple, "Sending notification requests to APNs".
    static let collapseIDBytesMax = 64

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
        guard !pushType.rawValue.isEmpty, pushType.rawValue.utf8.allSatisfy(\.isVisible) else {
            return .invalidRequest("the push type \(pushType.rawValue.debugDescription) is none")
        }
        if expiration < 0 { return .invalidRequest("the expiration \(expiration) is before 1970") }
        guard let collapseID else { return nil }
        guard (1...Self.collapseIDBytesMax).contains(collapseID.utf8.count), collapseID.utf8.allSatisfy(\.isVisible)
        else { return .invalidRequest("the collapse id is not 1 to 64 visible ASCII characters") }
        return nil
    }
}

extension UInt8 {
    /// ASCII without blanks and control characters, so that no value can be more than one header.
    fileprivate var isVisible: Bool { (0x21...0x7e).contains(self) }
}
