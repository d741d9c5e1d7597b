import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Updates a delivery whose courier's phone may have become silent: the timer for a missing fix.
struct DetectSilence: Sendable {
    static let kind = "silence"
    /// Seconds between two updates while the silence lasts: the risk keeps growing.
    static let repeatSeconds = 300.0

    let clock: DomainClock
    let tracker: DeliveryTracker
    let trackingMessages: TrackingMessages

    static func timer(for delivery: DeliveryID, dueAt: Date) -> DurableTimer {
        DurableTimer(kind: kind, key: delivery.rawValue, dueAt: dueAt)
    }

    /// Runs inside the transaction that removes the timer.
    func callAsFunction(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let id = DeliveryID(rawValue: timer.key),
            var tracked = try await DeliveryRepository.lockedDelivery(id, in: transaction),
            let courier = tracked.delivery.courier?.id
        else { return }
        let now = clock.now
        let track = try await CourierRepository.track(of: courier, on: transaction)
        let dueAt = tracker.silentAt(tracked, track: track, now: now)
        // On the way back none begins, and one that was reported ends with a fix.
        guard let due = dueAt ?? (tracked.tracking.detector.isSilent ? now : nil) else { return }
        guard due <= now || tracked.tracking.detector.isSilent else {
            // A fix was received since: due again when that one is too old.
            try await transaction.schedule(Self.timer(for: id, dueAt: due))
            return
        }
        tracked.tracking.hasEnrolledPhone = try await PhoneRepository.count(of: courier, on: transaction) > 0
        let live = try await DeliveryRepository.live(of: courier, on: transaction)
        let carried = live.inTripOrder
        try await tracked.beginWay(among: carried, track: track, at: now, in: transaction)
        let update = tracker.update(
            &tracked, track: track, carried: carried, handOvers: live.handOvers, now: now)
        try await transaction.enqueue(try trackingMessages.nextStep(of: &tracked, by: update, at: now))
        try await transaction.execute(DeliveryRepository.updateTracking(tracked))
        if dueAt == nil, !tracked.tracking.detector.isSilent { return }
        // A later due time is that of fixes too old for an update at ingest, which have ended the silence here.
        let next =
            due > now && !tracked.tracking.detector.isSilent
            ? due : tracker.nextUpdate(inSilenceOf: tracked, after: Self.repeatSeconds, now: now)
        try await transaction.schedule(Self.timer(for: id, dueAt: next))
    }
}
