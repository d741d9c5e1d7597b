import BackgroundWork
import DeclaredMetrics
import FlowControl
import Foundation
import Logging
import Metrics
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// The device streams that are open in this process, and what wakes them.
///
/// What this process commits wakes them at once; what another replica commits, when its notice arrives
/// (``StreamNotices``). A notice may be lost, so all of them together are compared with the table from time to time.
/// One timer wheel has the heartbeats of all, and the ends of their tokens.
final class StreamHub: Service {
    /// Open streams of one customer in one process, each of another device; one more is refused with 429.
    static let streamsPerCustomerMax = 5

    /// What happened to streams since it was last asked for, oldest first.
    struct ConnectionChanges {
        var opened: [ConnectedStream] = []
        var closed: [ConnectedStream] = []
    }

    private struct OpenStream {
        let id = UUID()
        let device: DeviceID
        let customer: CustomerID
        /// The store that its reader's token is restricted to.
        let store: StoreID?
        let signal: StreamSignal
        let mailbox: StreamMailbox
        /// When its reader's token expires.
        let endsAt: ContinuousClock.Instant?
        var lastEventID: Int

        var connected: ConnectedStream { ConnectedStream(id: id, device: device) }
    }

    private struct Streams {
        var byNumber: [Int: OpenStream] = [:]
        var numbersByDevice: [DeviceID: [Int]] = [:]
        var countsByCustomer: [CustomerID: Int] = [:]
        var changes = ConnectionChanges()
        /// Heartbeats and ends, in seconds since the process began.
        var timers = TimerWheel(at: 0)

        mutating func add(_ stream: OpenStream, number: Int) {
            changes.opened.append(stream.connected)
            byNumber[number] = stream
            numbersByDevice[stream.device, default: []].append(number)
            countsByCustomer[stream.customer, default: 0] += 1
        }

        /// - Returns: the streams that a device of a customer had open.
        mutating func remove(_ device: DeviceID, of customer: CustomerID) -> [OpenStream] {
            (numbersByDevice[device] ?? []).filter { byNumber[$0]?.customer == customer }.compactMap { remove($0) }
        }

        @discardableResult
        mutating func remove(_ number: Int) -> OpenStream? {
            guard let stream = byNumber.removeValue(forKey: number) else { return nil }
            changes.closed.append(stream.connected)
            timers.remove(number)
            numbersByDevice[stream.device]?.removeAll { $0 == number }
            if numbersByDevice[stream.device]?.isEmpty == true { numbersByDevice[stream.device] = nil }
            countsByCustomer[stream.customer, default: 0] -= 1
            if countsByCustomer[stream.customer] == 0 { countsByCustomer[stream.customer] = nil }
            return stream
        }
    }

    private let pool: PostgresPool
    private let heartbeat: Int
    private let comparison: Duration
    private let logger: Logger
    private let elapsed: @Sendable () -> ContinuousClock.Instant
    private let begin: ContinuousClock.Instant
    private let streams = Mutex(Streams())
    private let numbers = Atomic(0)
    private let gauge = DispatchMetrics.streamsOpen.meter()
    /// Devices with new events and no stream here, which may be open at other replicas.
    let openElsewhere: StreamNotices.Outgoing

    /// - Parameters:
    ///   - heartbeat: seconds between two comments on a stream; below the idle time-outs of proxies (60 s, mostly).
    ///   - comparison: between two looks for what no notice told of.
    init(
        pool: PostgresPool, heartbeat: Int = 15, comparison: Duration = .seconds(30), logger: Logger,
        elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.pool = pool
        self.heartbeat = heartbeat
        self.comparison = comparison
        self.logger = logger
        self.elapsed = elapsed
        begin = elapsed()
        openElsewhere = StreamNotices.Outgoing()
    }

    /// An open stream's slot; it is free again when the last reference is released.
    final class StreamSlot: Sendable {
        let signal: StreamSignal
        let mailbox: StreamMailbox
        private let release: @Sendable () -> Void

        fileprivate init(_ signal: StreamSignal, _ mailbox: StreamMailbox, release: @escaping @Sendable () -> Void) {
            self.signal = signal
            self.mailbox = mailbox
            self.release = release
        }

        deinit { release() }
    }

    /// Opens a stream, in place of those that the device has open already: a phone that lost its connection opens
    /// another long before its dead one is noticed.
    ///
    /// - Parameters:
    ///   - store: the only one whose cards its reader may see; nil for every store.
    ///   - lifetime: until its reader's token expires; nil for no end.
    /// - Returns: nil when the customer's other devices have as many open as they may.
    func open(
        _ device: DeviceID, of customer: CustomerID, within store: StoreID? = nil, lastEventID: Int,
        lifetime: Duration? = nil
    ) -> StreamSlot? {
        let (signal, mailbox) = (StreamSignal(), StreamMailbox())
        let endsAt = lifetime.map { elapsed() + $0 }
        let number = numbers.add(1, ordering: .relaxed).newValue
        let (hasSlot, replaced) = streams.withLock { streams in
            let replaced = streams.remove(device, of: customer)
            guard streams.countsByCustomer[customer, default: 0] < Self.streamsPerCustomerMax else {
                return (false, replaced)
            }
            streams.add(
                OpenStream(
                    device: device, customer: customer, store: store, signal: signal, mailbox: mailbox, endsAt: endsAt,
                    lastEventID: lastEventID),
                number: number)
            streams.timers.set(number, at: nextSecond(endsAt: endsAt))
            return (true, replaced)
        }
        for stream in replaced { stream.signal.end() }
        guard hasSlot else { return nil }
        gauge.increment()
        return StreamSlot(signal, mailbox) { [weak self] in
            guard let self else { return }
            _ = self.streams.withLock { $0.remove(number) }
            self.gauge.decrement()
        }
    }

    /// Whole seconds since the process began.
    private var second: Int { Int((elapsed() - begin) / .seconds(1)) }

    /// The second of a stream's next heartbeat, or of its end where that comes first.
    private func nextSecond(endsAt: ContinuousClock.Instant?) -> Int {
        let next = second + heartbeat
        guard let endsAt else { return next }
        return min(next, Int(((endsAt - begin) / .seconds(1)).rounded(.up)))
    }

    /// Streams that are open in this process.
    var openStreams: Int { streams.withLock(\.byNumber.count) }

    /// The streams that are open in this process, as they are written down.
    var connectedStreams: [ConnectedStream] { streams.withLock { $0.byNumber.values.map(\.connected) } }

    /// Which streams were opened and closed since the last call, one of a device at most among the opened.
    func takeConnectionChanges() -> ConnectionChanges {
        var changes = streams.withLock { streams in
            defer { streams.changes = ConnectionChanges() }
            return streams.changes
        }
        let newest = Dictionary(changes.opened.map { ($0.device, $0) }, uniquingKeysWith: { $1 })
        changes.opened = Array(newest.values)
        return changes
    }

    /// Keeps changes that could not be written for the next call.
    func putBack(_ changes: ConnectionChanges) {
        streams.withLock { streams in
            streams.changes.opened = changes.opened + streams.changes.opened
            streams.changes.closed = changes.closed + streams.changes.closed
        }
    }

    /// Has the device's streams read their new events, or end where it is no longer their customer's; here, and at the
    /// replica where they are open.
    ///
    /// - Parameter lastEventID: the newest id of its stream, so that the comparison does not wake them again for the
    ///   same event.
    func wake(_ device: DeviceID, lastEventID: Int? = nil) {
        let signals = streams.withLock { streams in
            (streams.numbersByDevice[device] ?? []).compactMap { number in
                if let lastEventID { streams.byNumber[number]?.lastEventID = lastEventID }
                return streams.byNumber[number]?.signal
            }
        }
        for signal in signals { signal.notify() }
        // A device has one stream, at one replica.
        if signals.isEmpty { openElsewhere.add(device, lastEventID: lastEventID) }
    }

    /// Hands the device's streams what was committed for them, or has them read it where it is not all theirs.
    func deliver(_ batch: StreamMailbox.Batch, to device: Device) {
        streams.withLock { streams in
            for number in streams.numbersByDevice[device.id] ?? [] {
                guard let stream = streams.byNumber[number], stream.customer == device.customer,
                    stream.store == nil || stream.store == device.store
                else { continue }
                stream.mailbox.put(batch)
            }
        }
        wake(device.id, lastEventID: batch.lastEventID)
    }

    /// Has a device's streams look that another replica gave news of.
    func noticed(_ device: DeviceID, lastEventID: Int?) {
        let signals = streams.withLock { streams in
            (streams.numbersByDevice[device] ?? []).compactMap { number -> StreamSignal? in
                guard let stream = streams.byNumber[number] else { return nil }
                if let lastEventID {
                    guard stream.lastEventID < lastEventID else { return nil }
                    streams.byNumber[number]?.lastEventID = lastEventID
                }
                return stream.signal
            }
        }
        for signal in signals { signal.notify() }
    }

    /// Beats, ends what is over and looks for what no notice told of, until graceful shutdown.
    ///
    /// The two are apart: a database that does not answer keeps no stream open beyond its token.
    func run() async throws {
        let beats = PeriodicTask("heartbeats of device streams", every: .seconds(1), logger: logger) { self.beat() }
        let comparisons = PeriodicTask("comparison of device streams", every: comparison, logger: logger) {
            try await self.compare()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await beats.run() }
            group.addTask { try await comparisons.run() }
            try await group.waitForAll()
        }
    }

    /// Ends the streams whose token has expired, and has the others that are due write a comment.
    func beat() {
        let now = elapsed()
        let (beating, ending) = streams.withLock { streams in
            var beating: [StreamSignal] = []
            var ending: [StreamSignal] = []
            for number in streams.timers.fire(upTo: second) {
                guard let stream = streams.byNumber[number] else { continue }
                if let endsAt = stream.endsAt, endsAt <= now {
                    ending.append(stream.signal)
                } else {
                    beating.append(stream.signal)
                    streams.timers.set(number, at: nextSecond(endsAt: stream.endsAt))
                }
            }
            return (beating, ending)
        }
        for signal in ending { signal.end() }
        for signal in beating { signal.heartbeat() }
    }

    /// Has streams look whose device has newer events in the table, or another customer.
    func compare() async throws {
        let known = streams.withLock { Array($0.byNumber) }.sorted { $0.key < $1.key }.map { number, stream in
            DeviceEventRepository.KnownStream(
                number: number, device: stream.device, customer: stream.customer, lastEventID: stream.lastEventID)
        }
        guard !known.isEmpty else { return }
        let changed = try await DeviceEventRepository.changed(of: known, on: pool)
        let signals = streams.withLock { streams in
            changed.compactMap { number, lastEventID in
                streams.byNumber[number]?.lastEventID = lastEventID
                return streams.byNumber[number]?.signal
            }
        }
        for signal in signals { signal.notify() }
    }
}
