internal import BackgroundWork
internal import DeclaredMetrics
package import Logging
internal import Metrics
package import NatsClient
internal import ServiceLifecycle
internal import Synchronization

/// A durable consumer of a stream, as a process knows it.
package struct DurableReader: Hashable, Sendable {
    package let stream: String
    package let durable: String
    package let subject: String

    package init(stream: String, durable: String, subject: String) {
        self.stream = stream
        self.durable = durable
        self.subject = subject
    }
}

/// Detects that the broker lost messages, and heals the loss.
///
/// A stream whose end went back, or that was created again, has lost messages: this service republishes its own
/// messages of that stream. The check compares the stream's end, and the sequence numbers assigned to this process's
/// messages. A consumer ahead of its stream skips new messages: the reading service recreates the consumer one check
/// later, when the writers have had the time to detect the loss.
///
/// A killed broker may lose messages undetected: its stream can have grown past its former end by the next check, and a
/// process that has just started knows no former end. So this service also compares its messages with its readers after
/// each start and each reconnect (``ResyncSchedule``). A loss heals within a minute, without an operator.
package final class BrokerCheck: Service {
    /// Time between two checks.
    package static let interval = Duration.seconds(10)

    private let jetStream: JetStream
    private let reads: [DurableReader]
    private let writes: [DurableReader]
    private let setBack: @Sendable () -> Set<String>
    private let connection: @Sendable () -> UInt64?
    private let resync: @Sendable () async throws -> Bool
    private let logger: Logger
    private let continuity = Mutex(StreamContinuity())
    private let ahead = Mutex<[String: [String]]>([:])
    private let unreadChecks = Mutex(UnreadChecks())
    private let schedule = Mutex(ResyncSchedule())
    private let consumersAhead = MessagingMetrics.consumersAhead.meter()
    private let streamsSetBack = MessagingMetrics.streamsSetBack.counter()

    /// - Parameters:
    ///   - reads: the consumers of this service; it may read their info, delete and create them.
    ///   - writes: the other services' consumers of this service's messages; it may read their info.
    ///   - setBack: the streams that assigned a number twice, from ``OutboxRelay/takeSetBackStreams()``.
    ///   - connection: a number that changes with each reconnect to the broker; nil without a connection.
    ///   - resync: republishes everything live that readers lack; returns whether all of them answered.
    package init(
        _ jetStream: JetStream, reads: [DurableReader], writes: [DurableReader], logger: Logger,
        setBack: @escaping @Sendable () -> Set<String> = { [] },
        connection: @escaping @Sendable () -> UInt64? = { nil }, resync: @escaping @Sendable () async throws -> Bool
    ) {
        self.jetStream = jetStream
        self.reads = reads
        self.writes = writes
        self.logger = logger
        self.setBack = setBack
        self.connection = connection
        self.resync = resync
    }

    /// Checks until graceful shutdown.
    ///
    /// Never fails because of an outage.
    /// - Throws: never; a failed check is logged and repeated.
    package func run() async throws {
        try await PeriodicTask("check of the broker's streams", every: Self.interval, logger: logger) {
            try await self.check()
        }.run()
    }

    /// A readiness check that fails while a consumer is ahead of its stream, or streams cannot be read.
    ///
    /// One failed check may be a broker that restarts, so the second in a row counts.
    /// - Throws: ``ConsumersAhead`` where a consumer is ahead of its stream; ``StreamsUnread`` after two checks in a
    ///   row in which a stream could not be read.
    package func checkStreams() throws {
        let ahead = ahead.withLock { $0.values.flatMap(\.self).sorted() }
        guard ahead.isEmpty else { throw ConsumersAhead(durables: ahead) }
        let unread = unreadChecks.withLock { $0 }
        guard unread.count < 2 else { throw StreamsUnread(reason: unread.reason) }
    }

    /// Compares every stream with how it was and its consumers with it, once.
    ///
    /// A stream that cannot be read does not stop the comparison of the others.
    /// - Throws: the error of the first stream that could not be read, after the others; or of the resync.
    func check() async throws {
        let written = Set(writes.map(\.stream))
        var readers: [ResyncSchedule.Reader] = []
        if let connection = connection() { schedule.withLock { $0.connected(connection) } }
        for stream in setBack().intersection(written).sorted() { lostMessages(of: stream, ahead: []) }
        var unread: Set<String> = []
        var failure: (any Error)?
        for stream in written.union(reads.map(\.stream)).sorted() {
            do {
                guard let (finding, itsReaders) = try await observe(stream) else { continue }
                readers += itsReaders
                if finding.hasLostMessages { lostMessages(of: stream, ahead: finding.ahead) }
                for reader in reads where reader.stream == stream && finding.toReset.contains(reader.durable) {
                    try await reset(reader)
                }
            } catch {
                unread.insert(stream)
                failure = failure ?? error
            }
        }
        consumersAhead.set(ahead.withLock { $0.values.reduce(0) { $0 + $1.count } })
        let reason = failure.map { "\($0)" }
        unreadChecks.withLock { $0.record(reason) }
        // Without a readable stream of its own, this service knows no reader's backlog.
        if let failure, unread.isSuperset(of: written) { throw failure }
        if schedule.withLock({ $0.isDue(with: readers) }) {
            let isComplete = try await resync()
            schedule.withLock { $0.done(isComplete: isComplete) }
        }
        if let failure { throw failure }
    }

    private func lostMessages(of stream: String, ahead: [String]) {
        streamsSetBack.increment()
        logger.warning(
            "A stream lost messages, or its consumers are ahead of it",
            metadata: ["stream": "\(stream)", "ahead": "\(ahead.joined(separator: " "))"])
        if writes.contains(where: { $0.stream == stream }) { schedule.withLock { $0.lost() } }
    }

    /// - Returns: nil where there is no such stream.
    private func observe(_ stream: String) async throws -> (StreamContinuity.Finding, [ResyncSchedule.Reader])? {
        var places: [StreamContinuity.Place] = []
        var readers: [ConsumerInfo] = []
        for reader in reads + writes where reader.stream == stream {
            guard let info = try await jetStream.consumerInfo(stream: stream, durable: reader.durable) else {
                // Deleted for a reset, but the process or the connection ended before the consumer was recreated.
                if reads.contains(reader), try await jetStream.streamInfo(stream) != nil { try await create(reader) }
                continue
            }
            places.append(.init(durable: reader.durable, deliveredSequence: info.deliveredSequence))
            if writes.contains(reader) { readers.append(info) }
        }
        guard let info = try await jetStream.streamInfo(stream) else { return nil }
        let position = StreamContinuity.Position(created: info.created, lastSequence: info.lastSequence)
        let own = Set(reads.filter { $0.stream == stream }.map(\.durable))
        let finding = continuity.withLock { [places] in $0.observe(stream, position, places, own: own) }
        ahead.withLock { $0[stream] = finding.ahead }
        return (finding, readers.map { ResyncSchedule.Reader($0, lastSequence: info.lastSequence) })
    }

    /// Recreates a consumer at the stream's oldest message; handlers ignore messages that they have already applied.
    private func reset(_ reader: DurableReader) async throws {
        try await jetStream.deleteConsumer(stream: reader.stream, durable: reader.durable)
        try await create(reader)
        continuity.withLock { $0.begun(reader.durable, of: reader.stream) }
        logger.warning(
            "A consumer was ahead of its stream and was recreated",
            metadata: ["stream": "\(reader.stream)", "durable": "\(reader.durable)"])
    }

    private func create(_ reader: DurableReader) async throws {
        _ = try await jetStream.createOrUpdateConsumer(
            stream: reader.stream, ConsumerConfiguration(durable: reader.durable, filterSubject: reader.subject))
    }
}

/// The checks in a row in which a stream could not be read.
private struct UnreadChecks: Sendable {
    private(set) var count = 0
    /// The first error of the last one.
    private(set) var reason = ""

    /// - Parameter error: nil for a check that read every stream.
    mutating func record(_ error: String?) {
        count = error == nil ? 0 : count + 1
        reason = error ?? ""
    }
}

/// Streams that the broker does not let this service read, so that a loss of messages would not be found.
package struct StreamsUnread: Error, CustomStringConvertible {
    let reason: String

    package var description: String { "streams cannot be checked for lost messages (\(reason))" }
}

/// Consumers ahead of their streams, which skip messages.
package struct ConsumersAhead: Error, CustomStringConvertible {
    let durables: [String]

    package var description: String {
        "consumers are ahead of their streams (\(durables.joined(separator: ", "))); they begin again within a minute"
    }
}
