import BackgroundWork
import DeclaredMetrics
import Foundation
import Logging
import Metrics
import OrderDomain
import PostgresClient
import ServiceLifecycle
import Synchronization

/// The device streams that are open in this process, and what wakes them.
///
/// What this process commits wakes them at once. What another replica commits is found by one cheap poll for all of
/// them together, every `pollInterval` while any is open.
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
        let signal: AsyncStream<Void>.Continuation
        var lastEventID: Int

        var connected: ConnectedStream { ConnectedStream(id: id, device: device) }
    }

    private struct Streams {
        var byNumber: [Int: OpenStream] = [:]
        var numbersByDevice: [DeviceID: [Int]] = [:]
        var countsByCustomer: [CustomerID: Int] = [:]
        var changes = ConnectionChanges()

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
            numbersByDevice[stream.device]?.removeAll { $0 == number }
            if numbersByDevice[stream.device]?.isEmpty == true { numbersByDevice[stream.device] = nil }
            countsByCustomer[stream.customer, default: 0] -= 1
            if countsByCustomer[stream.customer] == 0 { countsByCustomer[stream.customer] = nil }
            return stream
        }
    }

    private let pool: PostgresPool
    private let pollInterval: Duration
    private let logger: Logger
    private let streams = Mutex(Streams())
    private let numbers = Atomic(0)
    private let gauge = DispatchMetrics.streamsOpen.meter()

    init(pool: PostgresPool, pollInterval: Duration = .milliseconds(75), logger: Logger) {
        self.pool = pool
        self.pollInterval = pollInterval
        self.logger = logger
    }

    /// An open stream's slot; it is free again when the last reference is released.
    final class StreamSlot: Sendable {
        let signals: AsyncStream<Void>
        private let release: @Sendable () -> Void

        fileprivate init(_ signals: AsyncStream<Void>, release: @escaping @Sendable () -> Void) {
            self.signals = signals
            self.release = release
        }

        deinit { release() }
    }

    /// Opens a stream, in place of those that the device has open already: a phone that lost its connection opens
    /// another long before its dead one is noticed.
    ///
    /// - Returns: nil when the customer's other devices have as many open as they may.
    func open(_ device: DeviceID, of customer: CustomerID, lastEventID: Int) -> StreamSlot? {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = numbers.add(1, ordering: .relaxed).newValue
        let (hasSlot, replaced) = streams.withLock { streams in
            let replaced = streams.remove(device, of: customer)
            guard streams.countsByCustomer[customer, default: 0] < Self.streamsPerCustomerMax else {
                return (false, replaced)
            }
            streams.add(
                OpenStream(device: device, customer: customer, signal: signal, lastEventID: lastEventID),
                number: number)
            return (true, replaced)
        }
        for stream in replaced { stream.signal.finish() }
        guard hasSlot else { return nil }
        gauge.increment()
        return StreamSlot(stream) { [weak self] in
            guard let self else { return }
            _ = self.streams.withLock { $0.remove(number) }
            self.gauge.decrement()
        }
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

    /// Has the device's streams read their new events, or end where it is no longer their customer's.
    ///
    /// - Parameter lastEventID: the newest id of its stream, so that the poll does not wake them again for the same
    ///   event.
    func wake(_ device: DeviceID, lastEventID: Int? = nil) {
        let signals = streams.withLock { streams in
            (streams.numbersByDevice[device] ?? []).compactMap { number in
                if let lastEventID { streams.byNumber[number]?.lastEventID = lastEventID }
                return streams.byNumber[number]?.signal
            }
        }
        for signal in signals { signal.yield() }
    }

    /// Polls for what other replicas committed, until graceful shutdown.
    func run() async throws {
        try await PeriodicTask("poll of device streams", every: pollInterval, logger: logger) {
            try await self.poll()
        }.run()
    }

    private func poll() async throws {
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
        for signal in signals { signal.yield() }
    }
}
