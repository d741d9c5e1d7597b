import ArrivalEstimate
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Applies snapshots of deliveries from `orders`, and publishes the estimate and activity at the new version.
struct ApplyDeliveryChange: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let tracker: DeliveryTracker
    let trackingMessages: TrackingMessages
    let outbox: any Outbox
    /// Receives the errors of shown arrivals, once for each arrival at a door, after the commit.
    let observeErrors: @Sendable ([EstimateError]) -> Void

    /// - Returns: whether it was applied; an older or equal version changes nothing.
    @discardableResult
    func callAsFunction(_ change: DeliveryChanged) async throws -> Bool {
        let untraced: Tracing = { messages in try messages() }
        return try await callAsFunction([(change: change, tracing: untraced)])
    }

    /// Makes messages part of the trace that another carries.
    typealias Tracing = @Sendable (_ messages: () throws -> [OutboxMessage]) throws -> [OutboxMessage]

    /// Applies several in one transaction, all or none; of several about one delivery only the newest.
    ///
    /// - Returns: whether any of them was applied.
    @discardableResult
    func callAsFunction(_ changes: [(change: DeliveryChanged, tracing: Tracing)]) async throws -> Bool {
        let now = clock.now
        let newest = Dictionary(changes.map { ($0.change.delivery.id, $0) }) { one, other in
            one.change.delivery.version < other.change.delivery.version ? other : one
        }
        let (messages, isApplied, errors) = try await pool.withTransaction(retriesMax: 3) { transaction in
            let former = try await DeliveryRepository.lockedDeliveries(Array(newest.keys), in: transaction)
            var statements: [SQL] = []
            var timers: [DurableTimer] = []
            var messages: [OutboxMessage] = []
            var errors: [EstimateError] = []
            var begun: [DeliveryID: TrackedDelivery] = [:]
            // In the order of ids, the locking order.
            let ids = newest.keys.sorted { $0.rawValue < $1.rawValue }
            for id in ids {
                guard let one = newest[id],
                    var next = try await self.next(one.change, after: former[id], in: transaction)
                else { continue }
                next.tracking.fetchPlace = try await fetchPlace(
                    of: next, after: former[id]?.delivery, at: now, in: transaction)
                begun[id] = next
            }
            for id in ids {
                guard var next = begun[id], let one = newest[id] else { continue }
                let own = former[id].map(next.estimateErrors) ?? []
                next.tracking.record(own)
                errors += own
                let (write, ownTimers, ownMessages) = try await updated(
                    next, after: former[id]?.delivery, among: begun, tracing: one.tracing, at: now, in: transaction)
                statements.append(write)
                timers += ownTimers
                messages += ownMessages
            }
            let batch = outbox.batch(of: messages)
            // One statement for all of them, which has its locking order.
            try await transaction.commit(with: statements + DurableTimer.scheduling(timers) + batch.insertion)
            return (batch, !statements.isEmpty, errors)
        }
        outbox.publish(messages)
        if !errors.isEmpty { observeErrors(errors) }
        return isApplied
    }

    /// - Returns: nil when a newer or equal version is known.
    private func next(
        _ change: DeliveryChanged, after known: TrackedDelivery?, in transaction: PostgresTransaction
    ) async throws -> TrackedDelivery? {
        var former = known
        if former == nil {
            let blank = tracker.begin(change, after: nil)
            if try await DeliveryRepository.insert(blank, in: transaction) { return blank }
            // Another replica was first, and has committed since.
            former = try await DeliveryRepository.lockedDelivery(change.delivery.id, in: transaction)
        }
        guard let former, former.delivery.version < change.delivery.version else { return nil }
        return tracker.begin(change, after: former)
    }

    /// Where the courier with the goods was seen in the half hour before the hand-over, however long ago that began, and
    /// before a further hand-over where they were not seen since.
    ///
    /// - Returns: nil without a hand-over, and where they were not seen.
    private func fetchPlace(
        of next: TrackedDelivery, after former: Delivery?, at now: Date, in transaction: PostgresTransaction
    ) async throws -> Coordinate? {
        var seen: Coordinate?
        if let carrier = next.delivery.fetchedFrom?.id, former.map(next.delivery.isFetched(as:)) != true {
            seen = try await CourierRepository.track(of: carrier, on: transaction).recentFix(at: now)?.place
        }
        return next.fetchPlace(after: former, seen: seen)
    }

    /// A courier's live deliveries as they are after the transaction, in the order of ids.
    ///
    /// - Parameter begun: the deliveries that the transaction changes, whose rows are written at its end.
    private func live(
        of courier: CourierID, among begun: [DeliveryID: TrackedDelivery], in transaction: PostgresTransaction
    ) async throws -> [TrackedDelivery] {
        let others = try await DeliveryRepository.live(of: courier, on: transaction)
            .filter { begun[$0.delivery.id] == nil }
        let own = begun.values.filter { $0.delivery.courier?.id == courier && $0.delivery.endedAt == nil }
        return (others + own).sorted { $0.delivery.id < $1.delivery.id }
    }

    /// The write of the delivery's next step, its timers and its messages.
    private func updated(
        _ next: TrackedDelivery, after former: Delivery?, among begun: [DeliveryID: TrackedDelivery],
        tracing: Tracing, at now: Date, in transaction: PostgresTransaction
    ) async throws -> (SQL, [DurableTimer], [OutboxMessage]) {
        var tracked = next
        var track = CourierTrack()
        var milestones: [Milestone] = []
        if let courier = tracked.delivery.courier?.id, Stage(tracked.delivery) != nil {
            track = try await CourierRepository.track(of: courier, on: transaction)
            if tracked.tracking.lastFixAt == nil {
                tracked.tracking.hasEnrolledPhone = try await PhoneRepository.count(of: courier, on: transaction) > 0
            }
            let live = try await self.live(of: courier, among: begun, in: transaction)
            let carried = live.inTripOrder
            try await tracked.beginWay(among: carried, track: track, begun: begun, at: now, in: transaction)
            milestones =
                tracker.update(
                    &tracked, track: track, carried: carried, handOvers: live.handOvers, now: now
                ).milestones
            // A new version is published with the newest estimate, past the policy's hysteresis; in silence there is none.
            if !tracked.tracking.detector.isSilent, let estimate = tracked.tracking.estimate {
                tracked.tracking.publish(
                    estimate, after: StopsAhead.ids(before: tracked.delivery, among: carried))
            }
        }
        tracked.nextStep()
        let messages = try tracing {
            try trackingMessages.messages(for: tracked, milestones: milestones, at: now).map(\.traced)
        }
        var timers = try await tripTimers(from: former, to: tracked, among: begun, at: now, in: transaction)
        if let due = tracker.silentAt(tracked, track: track, now: now) {
            // A silence that goes on is looked at once what is shown is over, too.
            let next =
                due > now && tracked.tracking.detector.isSilent
                ? tracker.nextUpdate(inSilenceOf: tracked, after: DetectSilence.repeatSeconds, now: now)
                : max(due, now)
            timers.append(DetectSilence.timer(for: tracked.delivery.id, dueAt: next))
        }
        return (try DeliveryRepository.update(tracked), timers, messages)
    }

    /// The timers that update the other deliveries of each courier whose trip the change alters.
    private func tripTimers(
        from former: Delivery?, to next: TrackedDelivery, among begun: [DeliveryID: TrackedDelivery], at now: Date,
        in transaction: PostgresTransaction
    ) async throws -> [DurableTimer] {
        var timers: [DurableTimer] = []
        let isMove = EstimateTrip.isMove(from: former, to: next.delivery)
        for courier in EstimateTrip.couriers(from: former, to: next) {
            let others = try await live(of: courier, among: begun, in: transaction)
            guard
                others.contains(where: {
                    $0.delivery.id != next.delivery.id
                        && (isMove || EstimateTrip.isUntracked($0))
                })
            else { continue }
            timers.append(EstimateTrip.timer(of: courier, dueAt: now))
        }
        return timers
    }
}
