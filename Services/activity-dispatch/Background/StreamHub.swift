import BackgroundWork
import Foundation
import Logging
import Metrics
import OrderDomain
import PostgresClient
import ServiceLifecycle
import Synchronization

/// The device streams that are open in this process, and what wakes them.
///
/// What this process commits wakes them at once. What another replica commits is noticed by one cheap question about
/// all of them together, asked every `pollInterval` while any is open.
final class StreamHub: Service {
    /// Open streams of one customer in one process; one more is refused with 429.
    static let streamsPerCustomerMax = 5

    private struct Open {
        let device: DeviceID
        let customer: CustomerID
        let signal: AsyncStream<Void>.Continuation
        var lastSequence: Int
    }

    private struct Streams {
        var byID: [Int: Open] = [:]
        var idsByDevice: [DeviceID: [Int]] = [:]
        var countsByCustomer: [CustomerID: Int] = [:]

        mutating func add(_ one: Open, id: Int) {
            byID[id] = one
            idsByDevice[one.device, default: []].append(id)
            countsByCustomer[one.customer, default: 0] += 1
        }

        mutating func remove(_ id: Int) {
            guard let one = byID.removeValue(forKey: id) else { return }
            idsByDevice[one.device]?.removeAll { $0 == id }
            if idsByDevice[one.device]?.isEmpty == true { idsByDevice[one.device] = nil }
            countsByCustomer[one.customer, default: 0] -= 1
            if countsByCustomer[one.customer] == 0 { countsByCustomer[one.customer] = nil }
        }
    }

    private let pool: PostgresPool
    private let pollInterval: Duration
    private let logger: Logger
    private let open = Mutex(Streams())
    private let ids = Atomic(0)
    private let gauge = DispatchMetrics.streamsOpen

    init(pool: PostgresPool, pollInterval: Duration = .milliseconds(75), logger: Logger) {
        self.pool = pool
        self.pollInterval = pollInterval
        self.logger = logger
    }

    /// An open stream's place; it ends when the last reference goes.
    final class Seat: Sendable {
        let signals: AsyncStream<Void>
        private let leave: @Sendable () -> Void

        fileprivate init(_ signals: AsyncStream<Void>, leave: @escaping @Sendable () -> Void) {
            self.signals = signals
            self.leave = leave
        }

        deinit { leave() }
    }

    /// Takes a place for a stream.
    ///
    /// - Returns: nil when the customer has as many as they may.
    func join(_ device: DeviceID, of customer: CustomerID, lastSequence: Int) -> Seat? {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = ids.add(1, ordering: .relaxed).newValue
        let isTaken = open.withLock { open in
            guard open.countsByCustomer[customer, default: 0] < Self.streamsPerCustomerMax else { return false }
            open.add(
                Open(device: device, customer: customer, signal: signal, lastSequence: lastSequence), id: id)
            return true
        }
        guard isTaken else { return nil }
        gauge.increment()
        return Seat(stream) { [weak self] in
            guard let self else { return }
            self.open.withLock { $0.remove(id) }
            self.gauge.decrement()
        }
    }

    /// Streams that are open in this process.
    var openStreams: Int { open.withLock(\.byID.count) }

    /// Has the device's streams look for events, or see that it is no longer their customer's.
    ///
    /// - Parameter sequence: the newest id of its stream, so that nobody is woken a second time for the same event.
    func wake(_ device: DeviceID, sequence: Int? = nil) {
        let signals = open.withLock { open in
            (open.idsByDevice[device] ?? []).compactMap { id in
                if let sequence { open.byID[id]?.lastSequence = sequence }
                return open.byID[id]?.signal
            }
        }
        for signal in signals { signal.yield() }
    }

    /// Looks for what other replicas committed, until graceful shutdown.
    func run() async throws {
        try await PeriodicTask("poll of device streams", every: pollInterval, logger: logger) {
            try await self.look()
        }.run()
    }

    private func look() async throws {
        let known = open.withLock { Array($0.byID) }.sorted { $0.key < $1.key }
        guard !known.isEmpty else { return }
        // Compared where the devices are, so that a quiet poll brings nothing back.
        let rows = try await pool.query(
            """
            SELECT known.id, devices.last_sequence
            FROM unnest(\(known.map(\.key))::bigint[], \(known.map(\.value.device.rawValue))::text[],
                \(known.map(\.value.customer.rawValue))::text[], \(known.map(\.value.lastSequence))::bigint[])
                AS known (id, device_id, customer_id, last_sequence)
            JOIN devices USING (device_id)
            WHERE (devices.last_sequence, devices.customer_id) IS DISTINCT FROM (known.last_sequence, known.customer_id)
            """)
        let newest = try rows.map { (try $0.decode("id", as: Int.self), try $0.decode("last_sequence", as: Int.self)) }
        let signals = open.withLock { open in
            newest.compactMap { id, sequence in
                open.byID[id]?.lastSequence = sequence
                return open.byID[id]?.signal
            }
        }
        for signal in signals { signal.yield() }
    }
}
