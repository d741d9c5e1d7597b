import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// The changes of one transaction: the changed deliveries, and the rows to write.
struct DeliveryTransaction {
    struct Context: Sendable {
        let clock: DomainClock
        let messages: DeliveryMessages
        let personalData: PersonalDataBox
    }

    private let context: Context
    private var records: [DeliveryID: DeliveryRecord] = [:]
    /// The deliveries that have changed, in bytes.
    private var snapshots: [DeliveryID: Data] = [:]
    /// The deliveries whose drop-off has changed.
    private var dropOffs: Set<DeliveryID> = []
    /// The deliveries whose door has moved, so that no estimate is of the arrival there.
    private var movedDoors: Set<DeliveryID> = []
    private var entries: [(delivery: DeliveryID, entry: TimelineEntry)] = []
    /// Timeline entries from provider reports, deduplicated.
    private var reported: [(delivery: DeliveryID, entry: TimelineEntry)] = []
    /// Reports that are known already.
    private var known: Set<ReportKey> = []
    private var descriptions: [CourierDescription] = []
    private var timers: [DurableTimer] = []
    /// The waiting presses of deliveries about which a request may leave a press without its meaning.
    private var waiting: [DeliveryID: CourierPress] = [:]
    /// The presses that were executed, with their new states.
    private var executed: [(press: UUID, state: CourierPress.State)] = []
    /// New PINs, sealed.
    private var pins: [(delivery: DeliveryID, sealed: String)] = []
    /// The snapshots and intents of the changes, in their order.
    private(set) var messages: [OutboxMessage] = []

    /// - Parameter records: deliveries that may be changed without a lock, for previews that write nothing.
    init(_ context: Context, of records: [DeliveryRecord] = []) {
        self.context = context
        self.records = Dictionary(uniqueKeysWithValues: records.map { ($0.delivery.id, $0) })
    }

    /// Locks the deliveries, in the order of their ids, and reads them.
    mutating func lock(_ ids: Set<DeliveryID>, in transaction: PostgresTransaction) async throws {
        let locked = try await OrderRepository.lockedDeliveries(
            ids.sorted(), opening: context.personalData, in: transaction)
        for record in locked {
            records[record.delivery.id] = record
        }
    }

    /// Reads which of the reports are known already, of deliveries that are locked.
    mutating func readReported(_ reports: [ReportKey], in transaction: PostgresTransaction) async throws {
        known.formUnion(try await OrderRepository.known(reports, in: transaction))
    }

    /// Whether a waiting press about a locked delivery counts before the request.
    func overtakesPress(_ request: ChangeDelivery.Request) -> Bool {
        guard !request.overtakesPress, let reported = request.reportedCourier else { return request.overtakesPress }
        return records[request.delivery]?.delivery.courier.map { $0.id != reported } ?? false
    }

    /// Reads the waiting presses of deliveries, for the requests that overtake them.
    mutating func readWaiting(_ ids: [DeliveryID], on database: some PostgresExecutor) async throws {
        guard !ids.isEmpty else { return }
        let presses = try await CourierPressRepository.waiting(of: ids, on: database)
        waiting = Dictionary(presses.map { ($0.delivery, $0) }) { first, _ in first }
    }

    /// Makes a change of a locked delivery, after the waiting press that it overtakes.
    ///
    /// A request after which the press means what it did, such as a repeated one, leaves the press waiting.
    ///
    /// - Throws: `Refusal`, `ChangeRefusal`, or the error of the request's decision; nothing of it is written then, and the
    ///   press still waits.
    mutating func apply(_ request: ChangeDelivery.Request) throws -> ChangeDelivery.Outcome {
        let isKnown = request.report.map { known.contains($0) } ?? false
        guard overtakesPress(request), !isKnown, let press = waiting[request.delivery],
            let record = records[request.delivery], request.principal.sees(record.delivery)
        else { return try make(request) }
        // The caller has read the delivery as it is before the press, and names its version.
        let change = try request.decide(try context.personalData.written(record.delivery))
        var alone = self
        // One that is refused by itself may be possible after the press, and is refused there otherwise.
        if let outcome = try? alone.make(request, as: change),
            press.action.keepsMeaning(from: record.delivery, to: outcome.record.delivery, at: context.clock.now)
        {
            self = alone
            return outcome
        }
        var next = self
        next.waiting[request.delivery] = nil
        let pressed = try next.execute(press).outcome
        var outcome = try next.make(request, as: change)
        outcome.hasChanged = outcome.hasChanged || pressed?.hasChanged ?? false
        outcome.hasEnded = outcome.hasEnded || pressed?.hasEnded ?? false
        self = next
        return outcome
    }

    /// Executes a courier's press about a locked delivery, as that courier.
    ///
    /// - Returns: the press's new state, and the outcome where it was not refused.
    mutating func execute(
        _ press: CourierPress
    ) throws -> (state: CourierPress.State, outcome: ChangeDelivery.Outcome?) {
        let now = context.clock.now
        let request = ChangeDelivery.Request(
            delivery: press.delivery, principal: Principal(.courier(press.courier))
        ) { delivery in
            guard press.action.isLegal(for: delivery) || press.action.isDone(in: delivery, at: now) else {
                throw PressStop.Refusal.notPossible(delivery.status.code)
            }
            return press.action.change(of: delivery)
        }
        var outcome: ChangeDelivery.Outcome?
        do {
            outcome = try make(request)
        } catch is PressStop.Refusal, is ChangeRefusal, is ChangeDelivery.Refusal {
            outcome = nil
        }
        let state = outcome == nil ? CourierPress.State.refused : .done
        executed.append((press.id, state))
        return (state, outcome)
    }

    /// - Parameter decided: the change where it was decided already.
    private mutating func make(
        _ request: ChangeDelivery.Request, as decided: DeliveryChange? = nil
    ) throws -> ChangeDelivery.Outcome {
        guard var record = records[request.delivery], request.principal.sees(record.delivery) else {
            throw ChangeDelivery.Refusal.notFound(request.delivery)
        }
        if let report = request.report, !known.insert(report).inserted {
            return ChangeDelivery.Outcome(record: record, hasChanged: false)
        }
        // A number that an earlier version, or a replica with another setting, has stored is written as new ones are.
        let before = try context.personalData.written(record.delivery)
        record.delivery = before
        var change = try context.personalData.written(
            try decided ?? request.decide(before), present: before.courier)
        let now = context.clock.now
        if case .correct(let correction) = change {
            change = .correct(try correction.changes(of: before.door, record.dropOff))
        }
        // Who asks for the present address takes a request for another one back.
        if case .requestAddress(let address) = change, address == record.dropOff?.address {
            change = .settleCorrection(.decision)
        }
        var dropOff = try change.dropOff(after: record.dropOff)
        // An address about which the shop has yet to decide is asked for once.
        if case .requestAddress = change, dropOff == record.dropOff,
            before.correctionsDue?.contains(.decision) == true
        {
            return ChangeDelivery.Outcome(record: record, hasChanged: false)
        }
        guard try record.delivery.apply(change, at: now, by: request.principal.recordedName) else {
            if case .report(let report) = change { note(report, from: before, to: before, request, at: now) }
            return ChangeDelivery.Outcome(record: record, hasChanged: false)
        }
        // An end closes the request with its decision: it is no longer asked for, and its address is not kept.
        if dropOff?.requestedAddress != nil, record.delivery.correctionsDue?.contains(.decision) != true {
            dropOff = try DeliveryChange.settleCorrection(.decision).dropOff(after: dropOff)
        }
        // What cannot be opened is not replaced by a part.
        if dropOff != record.dropOff, let unreadable = record.unreadable { throw unreadable }
        // Another courier's arrival is of no card and of no list, as the update of the row has it.
        if record.delivery.courier?.id != before.courier?.id { record.estimate = nil }
        // An added item may be the first that requires a PIN, and a reopened delivery gets another one: its former PIN is
        // known to a courier.
        if record.delivery.needsPIN, record.pin == nil, let sealed = try context.messages.newPIN(of: request.delivery) {
            record.pin = sealed
            pins.append((request.delivery, sealed))
        }
        if record.delivery.door != before.door {
            record.estimate = nil
            movedDoors.insert(request.delivery)
        }
        if dropOff != record.dropOff {
            record.dropOff = dropOff
            dropOffs.insert(request.delivery)
        }
        var entry = TimelineEntry(
            change, from: before, to: record.delivery, by: request.principal, reason: request.reason, at: now)
        // A former version is sent without numbers, so no row of it has to be sealed anew after a rotation.
        entry.reversal = DeliveryReversal(from: before.withoutNumbers, to: record.delivery.withoutNumbers)
        let snapshot = try WireJSON.encode(record.delivery)
        let own = try context.messages.messages(
            for: record, snapshot: snapshot, cause: entry.kind, from: before.status, at: now)
        if let description = request.description {
            let owner = request.principal.speaksForAllStores ? nil : record.delivery.store.id
            descriptions.append(
                CourierDescription(courier: try context.personalData.written(description), owner: owner))
        }
        messages += own.map { $0.continuing(request.traceHeaders) }
        if case .report(let report) = change {
            note(report, from: before, to: record.delivery, request, at: now, reversal: entry.reversal)
        } else {
            entries.append((request.delivery, entry))
        }
        timers += DeliveryTimers.timers(for: record.delivery, after: before, at: now)
        records[request.delivery] = record
        snapshots[request.delivery] = snapshot
        var outcome = ChangeDelivery.Outcome(
            record: record, hasChanged: true,
            hasEnded: record.delivery.status.isEnded && !before.status.isEnded)
        if case .feedback(let kind, _) = change { outcome.feedback = kind }
        return outcome
    }

    private mutating func note(
        _ report: ProviderReport, from before: Delivery, to after: Delivery, _ request: ChangeDelivery.Request,
        at now: Date, reversal: DeliveryReversal? = nil
    ) {
        var entries = TimelineEntry.entries(of: report, from: before, to: after, by: request.principal, at: now)
        // One entry of a change has the reversal: the report's own, which comes last.
        entries[entries.count - 1].reversal = reversal
        reported += entries.map { (request.delivery, $0) }
    }

    /// The statements that write the changes, without their messages; empty without changes.
    func statements() throws -> [SQL] {
        let presses = executed.flatMap { press, state in
            [
                CourierPressRepository.set(state, of: press),
                DurableTimer.cancelling(kind: DeliveryTimers.courierPress, key: press.uuidString),
            ]
        }
        let reports = reported.isEmpty ? [] : [try OrderRepository.insertReported(reported)]
        guard !snapshots.isEmpty else { return reports + presses }
        let ids = snapshots.keys.sorted()
        let deliveries = ids.compactMap { records[$0]?.delivery }
        var statements: [SQL] = [
            OrderRepository.update(deliveries, snapshots: ids.compactMap { snapshots[$0] }),
            try OrderRepository.insert(entries),
        ]
        statements += try OrderRepository.replace(
            dropOffs.sorted().map { ($0, records[$0]?.dropOff) }, by: context.personalData)
        statements += OrderRepository.removeEstimates(of: movedDoors.sorted())
        statements += reports
        statements.append(
            OrderRepository.recordChange(of: Set(deliveries.map(\.order)).sorted(), at: context.clock.now))
        statements += try courierStatements() + DurableTimer.scheduling(timers)
        if !pins.isEmpty { statements.append(PINRepository.insert(pins)) }
        return statements + presses
    }

    private func courierStatements() throws -> [SQL] {
        // In one order, so that two transactions that describe the same couriers never deadlock; of one the last counts.
        let newest = Dictionary(descriptions.map { ($0.id, $0) }) { $1 }
        return try newest.sorted { $0.key < $1.key }.map {
            try OrderRepository.upsert($1.courier, of: $1.owner, at: context.clock.now)
        }
    }

    /// A courier's description in a request.
    private struct CourierDescription {
        let courier: Courier
        /// The owner of the description; nil for the shop's, which holds for every store.
        let owner: StoreID?

        /// Names its row.
        var id: String { "\(courier.id) \(owner.map { "\($0)" } ?? "")" }
    }
}
