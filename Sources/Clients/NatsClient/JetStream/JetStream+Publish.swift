/// One message to be stored by a stream.
public struct OutgoingMessage: Sendable, Hashable {
    /// The message's subject; some stream must store it.
    public var subject: String
    /// The bytes.
    public var payload: [UInt8]
    /// Headers such as `traceparent`.
    public var headers: [String: String]
    /// The server stores one message per id within the stream's duplicate window.
    public var messageID: String?
    /// The only stream that may store the message.
    public var expectedStream: String?

    /// A message that is not sent yet.
    public init(
        subject: String, payload: [UInt8], headers: [String: String] = [:], messageID: String? = nil,
        expectedStream: String? = nil
    ) {
        self.subject = subject
        self.payload = payload
        self.headers = headers
        self.messageID = messageID
        self.expectedStream = expectedStream
    }

    /// The headers, with those that JetStream reads.
    var wireHeaders: [String: String] {
        var headers = headers
        headers["Nats-Msg-Id"] = messageID ?? headers["Nats-Msg-Id"]
        headers["Nats-Expected-Stream"] = expectedStream ?? headers["Nats-Expected-Stream"]
        return headers
    }

    var operation: String { "publishing to stream subject \(subject)" }

    /// - Throws: invalid argument for a subject or header that the protocol cannot carry.
    func validate() throws(NatsError) {
        try WireText.validate(subject: subject, operation: operation)
        try WireText.validate(headers: wireHeaders, operation: operation)
    }
}

/// A stream's acknowledgement that it has stored a message.
public struct PublishAck: Sendable, Hashable, Decodable {
    /// The stream that stored the message.
    public var stream: String
    /// The message's sequence number in the stream; for a duplicate, the first message's.
    public var sequence: UInt64
    /// True if a message with the same id was stored before.
    public var isDuplicate: Bool

    enum CodingKeys: String, CodingKey {
        case stream
        case sequence = "seq"
        case isDuplicate = "duplicate"
    }

    /// An acknowledgement made by hand, as tests need it.
    public init(stream: String, sequence: UInt64, isDuplicate: Bool) {
        self.stream = stream
        self.sequence = sequence
        self.isDuplicate = isDuplicate
    }

    /// - Throws: `DecodingError` where the acknowledgement lacks its stream or sequence.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        stream = try container.decode(String.self, forKey: .stream)
        sequence = try container.decode(UInt64.self, forKey: .sequence)
        isDuplicate = try container.decodeIfPresent(Bool.self, forKey: .isDuplicate) ?? false
    }

    /// The server's reply to a publish.
    static func decode(_ reply: NatsMessage, to subject: String, operation: String) throws(NatsError) -> PublishAck {
        guard reply.serverStatus != "503" else {
            throw NatsError(.noResponders, "no stream stores \(subject)", operation: operation)
        }
        return try JetStream.decode(reply.payload, as: PublishAck.self, operation: operation)
    }
}

extension JetStream {
    /// Stores one message and waits for the stream's acknowledgement.
    ///
    /// After disconnected or timed out the message may be stored or not: repeat it with the same `messageID`.
    /// - Throws: no responders, which is retriable, if no stream stores the subject; refused, such as 10060 for another
    ///   stream than expected; not permitted, disconnected, timed out; or cancellation.
    public func publish(
        _ payload: [UInt8], to subject: String, messageID: String? = nil, headers: [String: String] = [:],
        expectedStream: String? = nil, timeout: Duration = .seconds(5)
    ) async throws -> PublishAck {
        let message = OutgoingMessage(
            subject: subject, payload: payload, headers: headers, messageID: messageID, expectedStream: expectedStream)
        try message.validate()
        let reply = try await transport.request(
            payload, to: subject, headers: message.wireHeaders, timeout: timeout, operation: message.operation)
        return try PublishAck.decode(reply, to: subject, operation: message.operation)
    }

    /// Stores many messages without waiting for each; returns one result per message, in order.
    ///
    /// They are sent in order; at most `pendingAcksMax` are unacknowledged at any time. The whole call ends within
    /// `timeout` (twice that if it must first wait for a connection): what is unacknowledged or unsent then has failed as
    /// timed out. Losing the connection fails the rest as disconnected. On cancellation the rest fails as closed.
    public func publish(
        _ messages: [OutgoingMessage], timeout: Duration = .seconds(5), pendingAcksMax: Int = 512
    ) async -> [Result<PublishAck, NatsError>] {
        guard !messages.isEmpty else { return [] }
        do {
            try await transport.waitUntilConnected(within: timeout, operation: "publishing \(messages.count) messages")
        } catch {
            let failure =
                error as? NatsError
                ?? NatsError(.closed, "the task was cancelled", operation: "publishing \(messages.count) messages")
            return messages.map { _ in .failure(failure) }
        }
        return await PipelinedPublish(
            messages, timeout: timeout, pendingAcksMax: pendingAcksMax, transport: transport
        ).results()
    }
}
