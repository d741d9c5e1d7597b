/// A durable pull consumer: its filter of a stream, and its redelivery.
public struct ConsumerConfiguration: Sendable, Hashable {
    /// The name, one token; by habit that of the service.
    public var durable: String
    /// The part of the stream it sees; nil means all.
    public var filterSubject: String?
    /// The time after which the server redelivers an unsettled message.
    public var ackWait: Duration
    /// The most deliveries of a message; nil for no limit.
    public var maxDeliver: Int?
    /// Unsettled messages at which delivery pauses, over all replicas.
    public var maxAckPending: Int
    /// Waits before each redelivery after a timeout; replaces `ackWait`, needs a `maxDeliver` above its count, and has
    /// no effect on an explicit retry.
    public var backOff: [Duration]

    /// A consumer of everything from the oldest stored message on, with the server's own waits.
    public init(
        durable: String, filterSubject: String? = nil, ackWait: Duration = .seconds(30), maxDeliver: Int? = nil,
        maxAckPending: Int = 1_000, backOff: [Duration] = []
    ) {
        self.durable = durable
        self.filterSubject = filterSubject
        self.ackWait = ackWait
        self.maxDeliver = maxDeliver
        self.maxAckPending = maxAckPending
        self.backOff = backOff
    }
}

/// A consumer as it is.
public struct ConsumerInfo: Sendable, Hashable {
    /// The stream it reads.
    public var stream: String
    /// The consumer's name.
    public var durable: String
    /// The number of undelivered messages.
    public var pending: UInt64
    /// The number of delivered and unsettled messages.
    public var ackPending: Int
    /// The number of redelivered and unsettled messages.
    public var redelivered: Int
    /// Pull requests that wait at the server.
    public var waitingPulls: Int
    /// The number of the last message up to which everything is settled.
    public var acknowledgedSequence: UInt64
    /// The sequence number of the newest delivered message; the stream's later messages with lower numbers are never
    /// delivered.
    public var deliveredSequence: UInt64
    /// The number of deliveries so far, with those of the same message again.
    public var deliveries: UInt64
}

/// The wire's form of a consumer's configuration.
struct WireConsumerConfiguration: Encodable {
    var durable: String
    var deliverPolicy = "all"
    var ackPolicy = "explicit"
    var ackWait: Int64?
    var maxDeliver: Int
    var maxAckPending: Int
    var filterSubject: String?
    var backOff: [Int64]?

    enum CodingKeys: String, CodingKey {
        case durable = "durable_name"
        case deliverPolicy = "deliver_policy"
        case ackPolicy = "ack_policy"
        case ackWait = "ack_wait"
        case maxDeliver = "max_deliver"
        case maxAckPending = "max_ack_pending"
        case filterSubject = "filter_subject"
        case backOff = "backoff"
    }

    init(_ configuration: ConsumerConfiguration) {
        durable = configuration.durable
        // A back-off replaces the wait; the server refuses a second opinion about it.
        ackWait = configuration.backOff.isEmpty ? configuration.ackWait.nanoseconds : nil
        backOff = configuration.backOff.isEmpty ? nil : configuration.backOff.map(\.nanoseconds)
        maxDeliver = configuration.maxDeliver ?? -1
        maxAckPending = configuration.maxAckPending
        filterSubject = configuration.filterSubject
    }
}

/// The answer about a consumer.
struct WireConsumerInfo: Decodable {
    struct Position: Decodable {
        var stream: UInt64
        var consumer: UInt64

        enum CodingKeys: String, CodingKey {
            case stream = "stream_seq"
            case consumer = "consumer_seq"
        }
    }

    var stream: String
    var name: String
    var pending: UInt64
    var ackPending: Int
    var redelivered: Int
    var waiting: Int
    var ackFloor: Position
    var delivered: Position

    enum CodingKeys: String, CodingKey {
        case stream = "stream_name"
        case name
        case pending = "num_pending"
        case ackPending = "num_ack_pending"
        case redelivered = "num_redelivered"
        case waiting = "num_waiting"
        case ackFloor = "ack_floor"
        case delivered
    }

    var info: ConsumerInfo {
        ConsumerInfo(
            stream: stream, durable: name, pending: pending, ackPending: ackPending, redelivered: redelivered,
            waitingPulls: waiting, acknowledgedSequence: ackFloor.stream, deliveredSequence: delivered.stream,
            deliveries: delivered.consumer)
    }
}
