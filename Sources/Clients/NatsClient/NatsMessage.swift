/// One message as it arrived, copied out of the C library.
public struct NatsMessage: Sendable, Hashable {
    /// The subject it was published to.
    public var subject: String
    /// The bytes, possibly none.
    public var payload: [UInt8]
    /// The headers, with keys as they were sent; of several values under one key, the first.
    public var headers: [String: String]
    /// The subject for the answer, if the sender expects one.
    public var reply: String?

    /// A message made by hand, as tests of handlers need it.
    public init(subject: String, payload: [UInt8], headers: [String: String] = [:], reply: String? = nil) {
        self.subject = subject
        self.payload = payload
        self.headers = headers
        self.reply = reply
    }

    /// The server's own three-digit status, which it sends in place of a message.
    ///
    /// 100 heartbeat, 404 no messages, 408 pull expired, 409 pull ended early, 503 no subscriber.
    /// - Source: nats-architecture-and-design, ADR-4 and ADR-13.
    var serverStatus: String? { payload.isEmpty ? headers["Status"] : nil }
}

/// Rejects names and headers that the protocol's text lines cannot carry, before they reach the wire.
enum WireText {
    /// - Throws: an invalid argument if the subject is empty or holds a space, a control character or an empty token.
    static func validate(subject: String, operation: String) throws(NatsError) {
        let bytes = subject.utf8
        var previous = UInt8(ascii: ".")
        for byte in bytes {
            guard byte > 0x20, byte != 0x7f, !(byte == UInt8(ascii: ".") && previous == byte) else {
                throw NatsError(.invalidArgument, "'\(subject)' is not a subject", operation: operation)
            }
            previous = byte
        }
        guard previous != UInt8(ascii: ".") else {
            throw NatsError(.invalidArgument, "'\(subject)' is not a subject", operation: operation)
        }
    }

    /// - Throws: an invalid argument if a header could break out of its line.
    static func validate(headers: [String: String], operation: String) throws(NatsError) {
        for (key, value) in headers {
            let keyIsPlain = !key.isEmpty && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
            guard keyIsPlain, value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 0x09 }) else {
                throw NatsError(.invalidArgument, "header '\(key)' cannot be sent", operation: operation)
            }
        }
    }
}
