import BackgroundWork
import DeclaredMetrics
import DomainTime
import Foundation
import LiveActivity
import Metrics
import OrderDomain
import PostgresClient
import ReliableMessaging
import Tracing

/// Reconciles devices in a transaction that holds their locks: compares the wanted states of their cards with the sent
/// ones and writes or leases the difference.
///
/// After the commit it wakes streams and queues pushes.
struct ReconcileDevices: Sendable {
    /// A device that is locked, with its cards as they were read.
    struct LockedDevice: Sendable {
        let stored: StoredDevice
        let openCards: [ActivityRepository.OpenCard]
        /// The device's missing cards, not stored yet.
        var missing: [ActivityCard] = []
    }

    /// The committed results of a reconciliation, for ``finish(_:)``.
    struct Committed: Sendable {
        var results: [ReconcileResult] = []
        var messages = OutboxBatch([])
        fileprivate var start = DefaultTracerClock.now
    }

    let pool: PostgresPool
    let clock: DomainClock
    let transports: Transports
    var configuration = DispatchConfiguration()
    let hub: StreamHub
    /// The queue of pushes that are not writes.
    let queue: PushQueue
    /// Raised by each commit that makes a device due.
    let wakeSignals: WakeSignalGroup
    let outbox: any Outbox
    var newID: @Sendable () -> UUID = { UUID() }
    var wall: @Sendable () -> Date = { Date() }
    /// The clock of `decidingMax`.
    var elapsed: @Sendable () -> ContinuousClock.Instant = { .now }
    private let budgetExhausted = DispatchMetrics.budgetExhausted.counter()
    private let pushCounters = PushCounters()
    private let refusedPayloads = RefusedPayloadCounters()

    /// Reconciles the devices that `lock` returns in one transaction, then sends over the network.
    ///
    /// - Returns: the number of devices.
    func callAsFunction(
        lock: @Sendable (Date, PostgresTransaction) async throws -> [StoredDevice]
    ) async throws -> Int {
        let start = DefaultTracerClock.now
        var committed = try await pool.withTransaction { transaction in
            let now = clock.now
            let devices = try await share(of: lock(now, transaction), in: transaction)
            guard !devices.isEmpty else { return Committed() }
            let open = try await ActivityRepository.openCards(on: devices.map(\.device.id), in: transaction)
            let locked = devices.map { LockedDevice(stored: $0, openCards: open[$0.device.id] ?? []) }
            return try await commit(decide(about: locked, now: now), with: [], now: now, in: transaction)
        }
        committed.start = start
        finish(committed)
        return committed.results.count
    }

    /// Reconciles devices in the transaction of the change that they will show, up to the limit of one transaction, and
    /// commits; the others become due.
    ///
    /// - Returns: for ``finish(_:)``.
    func callAsFunction(
        _ devices: [LockedDevice], now: Date, in transaction: PostgresTransaction
    ) async throws -> Committed {
        var cards = 0
        let share = devices.prefix { device in
            let isFirst = cards == 0
            cards += device.openCards.count + device.missing.count
            return isFirst || cards <= configuration.cardsPerBatchMax
        }
        let results = try decide(about: Array(share), now: now)
        let others = devices.dropFirst(results.count)
        var statements = ActivityRepository.save(others.flatMap(\.missing).map { StoredCard($0.card) })
        if !others.isEmpty { statements.append(ActivityRepository.makeDue(others.map(\.stored.device.id), at: now)) }
        let committed = try await commit(results, with: statements, now: now, in: transaction)
        if !others.isEmpty { wakeSignals.wake() }
        return committed
    }

    /// Passes events to streams, publishes, and queues pushes.
    func finish(_ committed: Committed) {
        for result in committed.results {
            guard let events = result.events else { continue }
            if result.areEventsOwn {
                hub.deliver(events, to: result.device)
            } else {
                hub.wake(result.device.id, lastEventID: result.lastEventID)
            }
        }
        outbox.publish(committed.messages)
        for result in committed.results {
            for push in result.pushesAccepted {
                PushSpan(push, to: result.device.id, at: committed.start).end(.accepted())
            }
        }
        let deadline = elapsed() + .seconds(configuration.leaseDuration - configuration.recordingTime)
        for result in committed.results where !result.pushesToSend.isEmpty {
            queue.pushes.enqueue(
                result.pushesToSend.map {
                    .init(push: $0.push, card: $0.card, device: result.device, deadline: deadline)
                })
        }
    }

    /// The first of these devices whose open cards fit one transaction, and always one.
    ///
    /// The others stay due, and the commit releases their locks.
    private func share(
        of devices: [StoredDevice], in transaction: PostgresTransaction
    ) async throws -> [StoredDevice] {
        guard devices.count > 1 else { return devices }
        let counts = try await ActivityRepository.countOpenCards(on: devices.map(\.device.id), in: transaction)
        var cards = 0
        let share = devices.prefix { device in
            cards += counts[device.device.id] ?? 0
            return cards <= configuration.cardsPerBatchMax
        }
        return share.isEmpty ? Array(devices.prefix(1)) : Array(share)
    }

    /// Decides about devices whose locks the transaction holds, in order, within the time limit.
    private func decide(about devices: [LockedDevice], now: Date) throws -> [ReconcileResult] {
        let deadline = elapsed() + configuration.decidingMax
        var results: [ReconcileResult] = []
        for device in devices where results.isEmpty || elapsed() < deadline {
            results.append(try decide(about: device, now: now))
        }
        return results
    }

    /// Writes the decisions, and the changed health of deliveries.
    private func commit(
        _ results: [ReconcileResult], with statements: [SQL], now: Date, in transaction: PostgresTransaction
    ) async throws -> Committed {
        let statements = try statements + ReconcileWrites.joining(results.map(\.writes)).statements()
        let healthChanged = results.reduce(into: Set<DeliveryID>()) { $0.formUnion($1.healthChanged) }
        guard !healthChanged.isEmpty else {
            try await transaction.commit(with: statements)
            return Committed(results: results)
        }
        try await transaction.batch(statements)
        let changes = try await CardHealthRepository.recount(healthChanged, at: now, in: transaction)
        let messages = outbox.batch(of: try changes.map(OutboxMessage.cardHealth))
        try await transaction.commit(with: messages.insertion)
        return Committed(results: results, messages: messages)
    }

    /// Decides about one device's cards; the result has the statements.
    private func decide(about locked: LockedDevice, now: Date) throws -> ReconcileResult {
        let stored = locked.stored
        guard let transport = transports.of(stored.device) else { return ReconcileResult(unreachable: locked) }
        let wallNow = wall()
        // A lease beyond the longest is of a clock that was set back since.
        let latest = wallNow.addingTimeInterval(configuration.leaseDuration + Limits.clockDifferenceMax)
        let leased = locked.openCards.filter { open in
            open.stored.leasedUntil.map { wallNow < $0 && $0 <= latest } ?? false
        }.map(\.stored.card.id)
        let cards = locked.openCards.map { ActivityCard(activity: $0.activity, card: $0.stored.card) }
        var reconciliation = DeviceReconciliation(
            device: stored.device, cards: cards + locked.missing, limits: transport.limits, now: now,
            gate: transport.isTransactional ? LeaseGate() : queue.leaseGate(for: stored.device, now, wallNow))
        reconciliation.run(leased: Set(leased), newID: newID) { _ in transport.isTransactional ? .accepted() : nil }
        let result = try ReconcileResult(
            reconciliation, of: stored, openCards: locked.openCards, isTransactional: transport.isTransactional,
            lease: Lease(
                wallUntil: wallNow.addingTimeInterval(configuration.leaseDuration),
                until: now.addingTimeInterval(configuration.leaseDuration * clock.rate)), wallNow: wallNow)
        budgetExhausted.increment(by: reconciliation.budgetExhausted)
        for (event, fault) in reconciliation.payloadFaults {
            refusedPayloads.count(fault, of: event, over: stored.device.transport)
        }
        if transport.isTransactional {
            for push in reconciliation.pushes { pushCounters.count(push, .accepted()) }
        }
        return result
    }
}
