import TextCoding

/// One message for any subscription, with its options for the push service.
public struct WebPushMessage: Sendable, Hashable {
    /// A message's worth against a phone's battery, from the least; a device that saves power delays the lower levels.
    ///
    /// - Source: RFC 8030, section 5.3.
    public enum Urgency: String, Sendable, Hashable, CaseIterable {
        case veryLow = "very-low"
        case low, normal, high
    }

    /// The payload for the browser's service worker; at most ``plaintextBytesMax``.
    public let plaintext: [UInt8]
    /// The time for which the push service keeps the message for an offline browser; zero for one attempt.
    public let timeToLive: Duration
    public let urgency: Urgency
    /// A message replaces one with the same topic that the push service still keeps.
    public let topic: String?

    /// Bytes that fit one request: 4,096 minus the encryption's overhead.
    ///
    /// - Source: RFC 8030, section 7.2: a push service accepts at least 4,096. RFC 8188: 86 of header, 17 of the
    ///   record.
    public static let plaintextBytesMax = 3_993

    /// 28 days; push services refuse or shorten longer times.
    ///
    /// - Source: Firebase Cloud Messaging, "Lifetime of a message".
    public static let timeToLiveMax = Duration.seconds(28 * 86_400)

    /// - Source: RFC 8030, section 5.4.
    static let topicBytesMax = 32

    /// - Parameters:
    ///   - timeToLive: in whole seconds; a fraction is truncated.
    ///   - topic: at most 32 letters, digits, `-` and `_`; the push service can read it.
    /// - Throws: ``WebPushMessageError`` for a payload, time or topic out of range.
    public init(
        plaintext: [UInt8], timeToLive: Duration, urgency: Urgency = .normal, topic: String? = nil
    ) throws(WebPushMessageError) {
        if plaintext.count > Self.plaintextBytesMax { throw .plaintextTooLong(bytes: plaintext.count) }
        guard (.zero...Self.timeToLiveMax).contains(timeToLive) else { throw .timeToLiveOutOfRange }
        if let topic {
            guard (1...Self.topicBytesMax).contains(topic.utf8.count), topic.utf8.allSatisfy(\.isURLSafe) else {
                throw .topicMalformed
            }
        }
        self.plaintext = plaintext
        self.timeToLive = timeToLive
        self.urgency = urgency
        self.topic = topic
    }
}

/// Why there can be no such message.
public enum WebPushMessageError: Error, Sendable, Hashable, CustomStringConvertible {
    case plaintextTooLong(bytes: Int)
    case timeToLiveOutOfRange
    case topicMalformed

    /// A description in one line.
    public var description: String {
        switch self {
        case .plaintextTooLong(let bytes):
            "the plaintext has \(bytes) bytes, \(WebPushMessage.plaintextBytesMax) fit one request"
        case .timeToLiveOutOfRange: "the time to live is not from 0 to 28 days"
        case .topicMalformed:
            "the topic is not 1 to \(WebPushMessage.topicBytesMax) letters, digits, hyphens and underscores"
        }
    }
}
