public import Foundation

/// A message as a consumer received it, with its place in the stream.
public struct StreamMessage: Sendable, Hashable {
    /// The subject it was published to.
    public var subject: String
    /// The bytes, possibly none.
    public var payload: [UInt8]
    /// The headers as they were published.
    public var headers: [String: String]
    /// The stream it comes from.
    public var stream: String
    /// The message's sequence number in the stream; the same at every delivery.
    public var streamSequence: UInt64
    /// The number of this delivery by the consumer.
    public var consumerSequence: UInt64
    /// The number of deliveries, this one included; a restart of the server may lose some.
    public var deliveryCount: Int
    /// When the stream stored it, by the server's clock.
    public var timestamp: Date
    /// Messages of the consumer that come after it.
    public var pending: UInt64

    /// A message made by hand, as tests of handlers need it.
    public init(
        subject: String, payload: [UInt8], headers: [String: String] = [:], stream: String = "",
        streamSequence: UInt64 = 1, consumerSequence: UInt64 = 1, deliveryCount: Int = 1,
        timestamp: Date = Date(timeIntervalSince1970: 0), pending: UInt64 = 0
    ) {
        self.subject = subject
        self.payload = payload
        self.headers = headers
        self.stream = stream
        self.streamSequence = streamSequence
        self.consumerSequence = consumerSequence
        self.deliveryCount = deliveryCount
        self.timestamp = timestamp
        self.pending = pending
    }

    /// A message off the wire; nil if its reply subject is not JetStream's.
    ///
    /// `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream sequence>.<consumer sequence>.<nanoseconds>.<pending>`, or,
    /// from servers with domains, the same behind `<domain>.<account hash>` and perhaps before one more token.
    /// - Source: nats-architecture-and-design, ADR-15.
    init?(_ message: NatsMessage) {
        guard let reply = message.reply else { return nil }
        var tokens = reply.split(separator: ".", omittingEmptySubsequences: false)[...]
        guard tokens.count >= 9, tokens.prefix(2).elementsEqual(["$JS", "ACK"]) else { return nil }
        tokens = tokens.count >= 11 ? tokens.dropFirst(4) : tokens.dropFirst(2)
        let fields = Array(tokens)
        guard let deliveries = Int(fields[2]), let streamSequence = UInt64(fields[3]),
            let consumerSequence = UInt64(fields[4]), let nanoseconds = Int64(fields[5]),
            let pending = UInt64(fields[6])
        else { return nil }
        self.init(
            subject: message.subject, payload: message.payload, headers: message.headers, stream: String(fields[0]),
            streamSequence: streamSequence, consumerSequence: consumerSequence, deliveryCount: deliveries,
            timestamp: Date(timeIntervalSince1970: Double(nanoseconds) / 1e9), pending: pending)
    }
}
