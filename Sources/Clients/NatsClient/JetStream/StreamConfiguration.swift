/// A stream's configuration; its retention is by limits alone, dropping the oldest messages.
public struct StreamConfiguration: Sendable, Hashable {
    /// The storage of the messages.
    public enum Storage: String, Sendable, Hashable, Codable {
        /// On disk; survives a restart.
        case file
        /// In memory; for tests and for data that is rebuilt anyway.
        case memory
    }

    /// One token, in upper case by convention.
    public var name: String
    /// The stream's subjects; wildcards allowed, overlaps with other streams not.
    public var subjects: [String]
    /// When messages are dropped; zero means never.
    public var maxAge: Duration
    /// The bytes above which the oldest messages are dropped; nil means no limit.
    public var maxBytes: Int64?
    /// The time during which the stream deduplicates a message id; at most `maxAge`.
    public var duplicateWindow: Duration
    /// Copies in a cluster, an odd number up to five.
    public var replicas: Int
    /// The storage of the messages; cannot be changed later.
    public var storage: Storage

    /// A stream on disk that keeps a day and recognises duplicates for two minutes, the server's own default.
    public init(
        name: String, subjects: [String], maxAge: Duration = .seconds(24 * 3_600), maxBytes: Int64? = nil,
        duplicateWindow: Duration = .seconds(120), replicas: Int = 1, storage: Storage = .file
    ) {
        self.name = name
        self.subjects = subjects
        self.maxAge = maxAge
        self.maxBytes = maxBytes
        self.duplicateWindow = duplicateWindow
        self.replicas = replicas
        self.storage = storage
    }
}

/// A stream as it is.
public struct StreamInfo: Sendable, Hashable {
    /// The stream's configuration.
    public var configuration: StreamConfiguration
    /// Messages in it now.
    public var messages: UInt64
    /// Bytes in it now, with the server's overhead.
    public var bytes: UInt64
    /// The number of the oldest message kept; zero in a stream that never had one.
    public var firstSequence: UInt64
    /// The number of the newest message ever stored.
    public var lastSequence: UInt64
    /// Consumers that exist on it.
    public var consumers: Int
    /// When it was created, as the server writes it; another for a stream that was created again.
    public var created: String
    /// The name of the cluster that has it; nil where the server is in none.
    public var cluster: String?
}

/// The wire's form of a stream's configuration.
struct WireStreamConfiguration: Codable {
    var name: String
    var subjects: [String]?
    var retention = "limits"
    var discard = "old"
    var maxAge: Int64
    var maxBytes: Int64
    var duplicateWindow: Int64?
    var replicas: Int
    var storage: StreamConfiguration.Storage
    var maxMessages: Int64 = -1
    var maxConsumers: Int64 = -1
    var maxMessageSize: Int64 = -1

    enum CodingKeys: String, CodingKey {
        case name, subjects, retention, discard, storage
        case maxAge = "max_age"
        case maxBytes = "max_bytes"
        case duplicateWindow = "duplicate_window"
        case replicas = "num_replicas"
        case maxMessages = "max_msgs"
        case maxConsumers = "max_consumers"
        case maxMessageSize = "max_msg_size"
    }

    init(_ configuration: StreamConfiguration) {
        name = configuration.name
        subjects = configuration.subjects
        maxAge = configuration.maxAge.nanoseconds
        maxBytes = configuration.maxBytes ?? -1
        duplicateWindow = configuration.duplicateWindow.nanoseconds
        replicas = configuration.replicas
        storage = configuration.storage
    }

    var configuration: StreamConfiguration {
        StreamConfiguration(
            name: name, subjects: subjects ?? [], maxAge: .nanoseconds(maxAge),
            maxBytes: maxBytes > 0 ? maxBytes : nil, duplicateWindow: .nanoseconds(duplicateWindow ?? 0),
            replicas: replicas, storage: storage)
    }
}

/// The answer about a stream.
struct WireStreamInfo: Decodable {
    struct State: Decodable {
        var messages: UInt64
        var bytes: UInt64
        var firstSequence: UInt64
        var lastSequence: UInt64
        var consumers: Int

        enum CodingKeys: String, CodingKey {
            case messages, bytes
            case firstSequence = "first_seq"
            case lastSequence = "last_seq"
            case consumers = "consumer_count"
        }
    }

    struct Cluster: Decodable {
        /// A server outside any cluster leaves it out, and names itself as the leader alone.
        var name: String?
    }

    var config: WireStreamConfiguration
    var state: State
    var created: String
    var cluster: Cluster?

    var info: StreamInfo {
        StreamInfo(
            configuration: config.configuration, messages: state.messages, bytes: state.bytes,
            firstSequence: state.firstSequence, lastSequence: state.lastSequence, consumers: state.consumers,
            created: created, cluster: cluster?.name)
    }
}
