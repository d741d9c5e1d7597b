internal import BackgroundWork
package import CoreMetrics
internal import FlowControl
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// A reader of an event stream, with the service's state about it.
package protocol StreamReader: Sendable {
    /// The owner whose open streams share a limit, such as a customer or a session.
    associatedtype Owner: Hashable & Sendable

    var owner: Owner { get }
}

/// A stream's place among the open ones; it is free again when the last reference is released.
package final class StreamSlot: Sendable {
    package let signal: StreamSignal
    private let number: Int
    private let keeper: any SlotKeeper

    init(_ signal: StreamSignal, number: Int, keeper: any SlotKeeper) {
        self.signal = signal
        self.number = number
        self.keeper = keeper
    }

    deinit { keeper.close(number) }

    /// Schedules a poll of the stream's source, replacing an earlier one.
    ///
    /// - Parameter wait: rounded up to whole seconds, one at least; nil cancels the poll.
    package func notify(in wait: Duration?) { keeper.notify(number, in: wait) }
}

/// A slot's connection to the table of streams.
protocol SlotKeeper: Sendable {
    func close(_ number: Int)
    func notify(_ number: Int, in wait: Duration?)
}

/// The open event streams of this process, each of a reader who follows a topic such as a delivery.
///
/// It decides under one lock who may open a stream, wakes streams by topic, writes their heartbeats and ends them at
/// the end of their lifetime. Opening, waking and closing a stream cost the same for any number of open streams.
package final class OpenStreams<Topic: Hashable & Sendable, Reader: StreamReader>: Service, SlotKeeper {
    package struct Stream: Sendable {
        /// Rises with each stream of the process.
        package let number: Int
        package let topic: Topic
        package fileprivate(set) var reader: Reader
        fileprivate let signal: StreamSignal
        // In seconds since the process began.
        fileprivate let endsAt: Int?
        fileprivate var heartbeatAt: Int
        fileprivate var notifiedAt: Int?

        fileprivate var dueAt: Int { min(heartbeatAt, endsAt ?? .max, notifiedAt ?? .max) }
    }

    /// All that are open at one moment.
    package struct Table: Sendable {
        fileprivate var byNumber: [Int: Stream] = [:]
        fileprivate var numbersByTopic: [Topic: [Int]] = [:]
        fileprivate var numbersByOwner: [Reader.Owner: Set<Int>] = [:]
        fileprivate var timers = TimerWheel(at: 0)
        fileprivate var lastNumber = 0

        /// The streams of a topic, in the order of their opening.
        package func streams(of topic: Topic) -> [Stream] {
            (numbersByTopic[topic] ?? []).compactMap { byNumber[$0] }
        }

        package func count(of owner: Reader.Owner) -> Int { numbersByOwner[owner]?.count ?? 0 }

        fileprivate mutating func add(_ stream: Stream) {
            byNumber[stream.number] = stream
            numbersByTopic[stream.topic, default: []].append(stream.number)
            numbersByOwner[stream.reader.owner, default: []].insert(stream.number)
            timers.set(stream.number, at: stream.dueAt)
        }

        fileprivate mutating func remove(_ number: Int) -> Stream? {
            guard let stream = byNumber.removeValue(forKey: number) else { return nil }
            timers.remove(number)
            numbersByTopic[stream.topic]?.removeAll { $0 == number }
            if numbersByTopic[stream.topic]?.isEmpty == true { numbersByTopic[stream.topic] = nil }
            let owner = stream.reader.owner
            numbersByOwner[owner]?.remove(number)
            if numbersByOwner[owner]?.isEmpty == true { numbersByOwner[owner] = nil }
            return stream
        }
    }

    package enum Admission: Sendable {
        case refused
        /// Opens it, and ends these by their numbers.
        case admitted(inPlaceOf: [Int] = [])
    }

    package enum Change: Sendable {
        case opened(Stream)
        /// Ended in place of another, or its slot was released.
        case closed(Stream)
    }

    private let name: String
    /// Seconds between two heartbeats of a stream; below the idle time-outs of proxies (60 s, mostly).
    private let heartbeat = 15
    private let gauge: Meter?
    private let lastOfReplaced: ServerSentEvent?
    private let logger: Logger
    private let elapsed: @Sendable () -> ContinuousClock.Instant
    private let changed: @Sendable (Change, Table) -> Void
    private let begin: ContinuousClock.Instant
    private let table = Mutex(Table())

    /// - Parameters:
    ///   - name: of the streams in logs, such as `device streams`.
    ///   - gauge: counts open streams.
    ///   - lastOfReplaced: the last event of a stream in whose place another is opened; nil ends it without one.
    ///   - changed: called with the open streams after each opening or closing, in that order and under the lock: it
    ///     must not call this object.
    package init(
        _ name: String, gauge: Meter? = nil, lastOfReplaced: ServerSentEvent? = nil, logger: Logger,
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        changed: @escaping @Sendable (Change, Table) -> Void = { _, _ in }
    ) {
        self.name = name
        self.gauge = gauge
        self.lastOfReplaced = lastOfReplaced
        self.logger = logger
        self.elapsed = elapsed
        self.changed = changed
        begin = elapsed()
    }

    /// Opens a stream where `admission` allows it.
    ///
    /// - Parameters:
    ///   - lifetime: the time until its end, such as the rest of its reader's token; nil for no end.
    ///   - admission: decides under the lock; it must not call this object.
    /// - Returns: nil where `admission` refuses.
    package func open(
        _ topic: Topic, for reader: Reader, lifetime: Duration? = nil, admission: (Table) -> Admission
    ) -> StreamSlot? {
        let signal = StreamSignal()
        let endsAt = lifetime.map { second(after: $0) }
        let heartbeatAt = second + heartbeat
        let opened: (number: Int, replaced: [Stream])? = table.withLock { table in
            guard case .admitted(let numbers) = admission(table) else { return nil }
            let replaced = numbers.compactMap { remove($0, from: &table) }
            table.lastNumber += 1
            let stream = Stream(
                number: table.lastNumber, topic: topic, reader: reader, signal: signal, endsAt: endsAt,
                heartbeatAt: heartbeatAt)
            table.add(stream)
            changed(.opened(stream), table)
            return (stream.number, replaced)
        }
        guard let opened else { return nil }
        gauge?.increment()
        for stream in opened.replaced { stream.signal.end(with: lastOfReplaced) }
        return StreamSlot(signal, number: opened.number, keeper: self)
    }

    func close(_ number: Int) { table.withLock { _ = remove(number, from: &$0) } }

    private func remove(_ number: Int, from table: inout Table) -> Stream? {
        guard let stream = table.remove(number) else { return nil }
        changed(.closed(stream), table)
        gauge?.decrement()
        return stream
    }

    func notify(_ number: Int, in wait: Duration?) {
        let notifiedAt = wait.map { max(second + 1, second(after: $0)) }
        table.withLock { $0.setNotification(of: number, at: notifiedAt) }
    }

    // MARK: Open streams

    package var count: Int { table.withLock(\.byNumber.count) }

    /// All streams, in the order in which they were opened.
    package var all: [Stream] { table.withLock { Array($0.byNumber.values) }.sorted { $0.number < $1.number } }

    /// The topics of an owner's streams.
    package func topics(of owner: Reader.Owner) -> Set<Topic> {
        table.withLock { table in Set((table.numbersByOwner[owner] ?? []).compactMap { table.byNumber[$0]?.topic }) }
    }

    /// The topics with at least one stream.
    package var topics: [Topic] { table.withLock { Array($0.numbersByTopic.keys) } }

    /// The owners with at least one stream.
    package var owners: [Reader.Owner] { table.withLock { Array($0.numbersByOwner.keys) } }

    // MARK: Waking

    /// Polls the sources of a topic's streams now.
    ///
    /// - Returns: whether the topic has any streams.
    @discardableResult
    package func notify(_ topic: Topic) -> Bool { update(topic) { _ in true } }

    /// Makes a topic's streams send what their sources have in memory.
    package func notifyUpdate(_ topic: Topic) {
        for signal in table.withLock({ $0.streams(of: topic).map(\.signal) }) { signal.notifyUpdate() }
    }

    /// Polls the sources of a topic's streams after `wait`, unless they are closed by then.
    package func notify(_ topic: Topic, in wait: Duration) {
        let notifiedAt = max(second + 1, second(after: wait))
        table.withLock { table in
            for number in table.numbersByTopic[topic] ?? [] { table.setNotification(of: number, at: notifiedAt) }
        }
    }

    package func notifyAll() {
        for signal in table.withLock({ $0.byNumber.values.map(\.signal) }) { signal.notify() }
    }

    /// Changes the state of a topic's readers, and wakes the streams for which `change` returns true.
    ///
    /// - Returns: whether the topic has any streams.
    @discardableResult
    package func update(_ topic: Topic, _ change: (inout Reader) -> Bool) -> Bool {
        let (signals, isOpen) = table.withLock { table in
            let numbers = table.numbersByTopic[topic] ?? []
            return (numbers.compactMap { table.update($0, change) }, !numbers.isEmpty)
        }
        for signal in signals { signal.notify() }
        return isOpen
    }

    /// Updates one stream by its number.
    package func update(_ number: Int, _ change: (inout Reader) -> Bool) {
        table.withLock { $0.update(number, change) }?.notify()
    }

    /// Ends the streams for which `condition` holds.
    package func end(where condition: (Stream) -> Bool) {
        for stream in table.withLock({ $0.byNumber.values.filter(condition) }) { stream.signal.end() }
    }

    // MARK: Beating

    /// Beats every second until graceful shutdown.
    /// - Throws: never; a failed beat is logged and repeated.
    package func run() async throws {
        try await PeriodicTask("heartbeats of \(name)", every: .seconds(1), logger: logger) { self.beat() }.run()
    }

    /// Ends expired streams, wakes streams whose wait is over, and writes due heartbeats.
    package func beat() {
        let second = second
        let due = table.withLock { table in
            table.timers.fire(upTo: second).compactMap { number -> (signal: StreamSignal, work: DueWork)? in
                guard let work = table.byNumber[number]?.takeDue(at: second, heartbeat: heartbeat),
                    let stream = table.byNumber[number]
                else { return nil }
                if work != .end { table.timers.set(number, at: stream.dueAt) }
                return (stream.signal, work)
            }
        }
        for (signal, work) in due {
            switch work {
            case .end: signal.end()
            case .beat(let isHeartbeatDue, let isNotified):
                if isNotified { signal.notify() }
                if isHeartbeatDue { signal.heartbeat() }
            }
        }
    }

    /// Whole seconds since the process began.
    private var second: Int { Int((elapsed() - begin) / .seconds(1)) }

    /// The first second at which this has passed.
    private func second(after wait: Duration) -> Int {
        Int(((elapsed() - begin + wait) / .seconds(1)).rounded(.up))
    }
}

/// The action of a stream's timer.
private enum DueWork: Hashable {
    case end
    case beat(isHeartbeatDue: Bool, isNotified: Bool)
}

extension OpenStreams.Stream {
    fileprivate mutating func takeDue(at second: Int, heartbeat: Int) -> DueWork {
        if let endsAt, endsAt <= second { return .end }
        let isNotified = notifiedAt.map { $0 <= second } ?? false
        if isNotified { notifiedAt = nil }
        let isHeartbeatDue = heartbeatAt <= second
        if isHeartbeatDue { heartbeatAt = second + heartbeat }
        return .beat(isHeartbeatDue: isHeartbeatDue, isNotified: isNotified)
    }
}

extension OpenStreams.Table {
    fileprivate mutating func setNotification(of number: Int, at second: Int?) {
        byNumber[number]?.notifiedAt = second
        if let stream = byNumber[number] { timers.set(number, at: stream.dueAt) }
    }

    /// - Returns: the signal of the stream, where `change` wakes it.
    fileprivate mutating func update(_ number: Int, _ change: (inout Reader) -> Bool) -> StreamSignal? {
        guard var stream = byNumber[number] else { return nil }
        let isWoken = change(&stream.reader)
        byNumber[number] = stream
        return isWoken ? stream.signal : nil
    }
}
