import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// The fixes of one transaction: the couriers' state, the resulting updates, and the rows to write.
struct IngestTransaction {
    /// One courier within this transaction.
    struct CourierState {
        var entry: CourierCache.Entry
        /// The followed track before this transaction.
        let former: CourierTrack
        var duty = Duty()
        var traceHeaders: [String: String] = [:]
        /// Deliveries whose tracking state is written.
        var stored: [DeliveryID] = []
        /// Whether fixes of the courier are recorded.
        var isChanged = false
        /// Whether the row was there, and is locked.
        var isLocked = false
        /// False where another process may have written this courier's row first.
        var isCertain = true

        /// Whether the row is written: if this process did not write it last, or if the newest fix is far ahead of it.
        var isRowDue: Bool {
            guard isChanged else { return false }
            guard let written = entry.rowLatestAt, let latest = entry.tracks.followed.latest else { return true }
            return abs(latest.time.timeIntervalSince(written)) >= IngestTransaction.rowSecondsMax
        }

        /// The entry where this process wrote the row.
        var ownEntry: CourierCache.Entry? { isCertain && entry.rowLatestAt != nil ? entry : nil }
    }

    /// Domain seconds by which a courier's newest fix may be ahead of the courier's row.
    static let rowSecondsMax = 5.0

    /// Domain seconds by which a tracking state that fixes can restore may be ahead of its row.
    static let unstoredSecondsMax = 15.0

    private struct Ingested {
        let batch: FixBatch
        var recorded: [Fix] = []
        var outcome = IngestFixes.Outcome()
    }

    let now: Date
    let tracker: DeliveryTracker
    let trackingMessages: TrackingMessages
    private(set) var couriers: [CourierID: CourierState] = [:]
    private(set) var messages: [OutboxMessage] = []
    private var ingested: [Ingested] = []
    private var timers: [DurableTimer] = []

    init(at now: Date, tracker: DeliveryTracker, trackingMessages: TrackingMessages) {
        self.now = now
        self.tracker = tracker
        self.trackingMessages = trackingMessages
    }

    // MARK: Load

    /// Locks the couriers, then their deliveries, and reads uncached rows.
    mutating func load(
        _ ids: [CourierID], cached: [CourierID: CourierCache.Entry], withDuty: Bool, in transaction: PostgresTransaction
    ) async throws {
        let known = cached.values.flatMap { $0.deliveries.map { ($0.key, $0.value.revision) } }
        var statements = [
            CourierRepository.lockingCouriers(ids), DeliveryRepository.lockingLive(of: ids, known: known),
        ]
        if withDuty {
            let since = now.addingTimeInterval(-FixLimits.ageSecondsMax - Duty.clockSeconds)
            statements.append(PhoneRepository.duties(of: ids, since: since))
        }
        let results = try await transaction.batch(statements)
        let revisions = try CourierRepository.revisions(results[0].rows)
        let current = cached.filter { $0.value.revision == revisions[$0.key] }
        let tracks = try await CourierRepository.tracks(of: ids.filter { current[$0] == nil }, on: transaction)
        for id in ids {
            var entry =
                current[id] ?? CourierCache.Entry(revision: revisions[id] ?? 0, tracks: tracks[id] ?? CourierTracks())
            entry.deliveries = [:]
            couriers[id] = CourierState(
                entry: entry, former: entry.tracks.followed, isLocked: revisions[id] != nil)
        }
        for row in results[1].rows {
            let (courier, delivery) = try DeliveryRepository.live(row) { cached[$0]?.deliveries[$1] }
            couriers[courier]?.entry.deliveries[delivery.tracked.delivery.id] = delivery
        }
        guard withDuty else { return }
        for row in results[2].rows {
            let (courier, period) = try PhoneRepository.duty(row)
            couriers[courier]?.duty.periods.append(period)
        }
    }

    // MARK: Update

    /// Inserts one phone's fixes into its courier's tracks.
    mutating func insert(_ batch: FixBatch) {
        var one = Ingested(batch: batch)
        guard var courier = couriers[batch.courier] else { return ingested.append(one) }
        for fix in batch.fixes {
            if batch.isOnDutyOnly, !courier.duty.covers(fix.time) {
                one.outcome.ignored.count(.offDuty)
                continue
            }
            do throws(FixFault) {
                try courier.entry.tracks.insert(fix, from: batch.phone, receivedAt: now)
                one.recorded.append(fix)
                one.outcome.accepted += 1
            } catch {
                one.outcome.ignored.count(DropReason(error))
                if error == .tooFast { one.recorded.append(fix) }
            }
        }
        courier.isChanged = courier.isChanged || !one.recorded.isEmpty
        if !batch.traceHeaders.isEmpty { courier.traceHeaders = batch.traceHeaders }
        couriers[batch.courier] = courier
        ingested.append(one)
    }

    /// Updates the live deliveries of every moved courier, and collects the resulting messages.
    mutating func updateDeliveries() throws {
        for (id, courier) in couriers.sorted(by: { $0.key < $1.key }) {
            let track = courier.entry.tracks.followed
            guard track != courier.former, let latest = track.latest,
                now.timeIntervalSince(latest.time) <= IngestFixes.backlogSeconds
            else { continue }
            couriers[id] = try updated(courier, track)
        }
    }

    private mutating func updated(_ former: CourierState, _ track: CourierTrack) throws -> CourierState {
        var courier = former
        let live = courier.entry.deliveries.values.map(\.tracked)
            .sorted { $0.delivery.id.rawValue < $1.delivery.id.rawValue }
        let (carried, handOvers) = (live.inTripOrder, live.handOvers)
        for var tracked in live {
            let delivery = tracked.delivery.id
            let former = tracked.tracking
            let update = tracker.update(
                &tracked, track: track, carried: carried, handOvers: handOvers, now: now)
            let new = try trackingMessages.nextStep(of: &tracked, by: update, at: now)
            messages += new.map { $0.continuing(courier.traceHeaders) }
            if update.milestones.contains(.reporting), let due = tracker.silentAt(tracked, track: track, now: now) {
                timers.append(DetectSilence.timer(for: delivery, dueAt: due))
            }
            courier.entry.deliveries[delivery]?.tracked = tracked
            if !update.isEmpty || tracked.tracking.isLostWithoutStoring(over: former)
                || isStale(courier.entry.deliveries[delivery])
            {
                courier.stored.append(delivery)
            }
        }
        return courier
    }

    private func isStale(_ delivery: CourierCache.LiveDelivery?) -> Bool {
        delivery.map { abs(now.timeIntervalSince($0.storedAt)) >= Self.unstoredSecondsMax } ?? true
    }

    // MARK: Save

    /// Writes everything in one round trip, and commits.
    ///
    /// - Parameter messages: ``messages``, on their way into the outbox.
    /// - Returns: the outcome of each batch.
    mutating func save(with messages: OutboxBatch, in transaction: PostgresTransaction) async throws -> [IngestFixes
        .Outcome]
    {
        let rows = assignRevisions()
        let fixes = ingested.flatMap { one in one.recorded.map { (one.batch, $0) } }
        let deliveries = couriers.values.flatMap { courier in
            courier.stored.compactMap { courier.entry.deliveries[$0] }.map { ($0.tracked, $0.revision) }
        }
        let phones = ingested.map(\.batch).filter(\.recordsHeartbeat)
        var statements: [SQL] = []
        if !rows.isEmpty { statements.append(CourierRepository.upserting(rows)) }
        if !fixes.isEmpty { statements.append(FixRepository.inserting(fixes, receivedAt: now)) }
        if !deliveries.isEmpty { statements.append(DeliveryRepository.updatingTracking(deliveries)) }
        if !phones.isEmpty { statements.append(PhoneRepository.recordingHeartbeat(of: phones, at: now)) }
        statements += messages.insertion + DurableTimer.scheduling(timers)
        let results = try await transaction.commit(with: statements)

        if !rows.isEmpty { try recordCertainty(results[0].rows) }
        if !fixes.isEmpty { try subtractRepeats(results[rows.isEmpty ? 0 : 1].rows) }
        return ingested.map(\.outcome)
    }

    /// Gives each written row a globally unique revision: a counter would repeat numbers where a database is restored
    /// under a running process.
    ///
    /// - Returns: the couriers' rows, in the order of ids.
    private mutating func assignRevisions() -> [CourierRepository.Row] {
        var rows: [CourierRepository.Row] = []
        for (id, former) in couriers.sorted(by: { $0.key < $1.key }) {
            var courier = former
            if courier.isRowDue {
                courier.entry.revision = Self.newRevision()
                let latest = courier.entry.tracks.followed.latest
                courier.entry.rowLatestAt = latest?.time
                rows.append(.init(id: id, latest: latest, seenBy: now, revision: courier.entry.revision))
            }
            for delivery in courier.stored {
                courier.entry.deliveries[delivery]?.revision = Self.newRevision()
                courier.entry.deliveries[delivery]?.storedAt = now
            }
            couriers[id] = courier
        }
        return rows
    }

    private static func newRevision() -> Int { .random(in: 1...(.max / 2)) }

    /// A row that was neither locked nor inserted here was written by another process meanwhile.
    private mutating func recordCertainty(_ rows: [PostgresRow]) throws {
        for row in rows {
            let id: CourierID = try row.decode("courier_id")
            let isNew: Bool = try row.decode("is_new")
            guard let courier = couriers[id] else { continue }
            couriers[id]?.isCertain = courier.isLocked || isNew
        }
    }

    /// The table reaches further back than the tracks: a fix already in the table is a duplicate as well.
    private mutating func subtractRepeats(_ inserted: [PostgresRow]) throws {
        struct Sender: Hashable {
            let courier: CourierID
            let phone: PhoneID
        }
        var new: [Sender: Int] = [:]
        for row in inserted {
            new[Sender(courier: try row.decode("courier_id"), phone: try row.decode("phone_id")), default: 0] += 1
        }
        for index in ingested.indices {
            let sender = Sender(courier: ingested[index].batch.courier, phone: ingested[index].batch.phone)
            let recorded = ingested[index].recorded.count
            let own = min(recorded, new[sender] ?? 0)
            new[sender, default: 0] -= own
            let repeats = min(recorded - own, ingested[index].outcome.accepted)
            ingested[index].outcome.accepted -= repeats
            ingested[index].outcome.ignored.count(.duplicate, repeats)
        }
    }
}
