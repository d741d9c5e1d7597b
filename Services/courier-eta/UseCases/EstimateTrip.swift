import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Updates a courier's deliveries after another one joined, left or changed its place on the trip.
///
/// Only deliveries without a fix: the next fix updates the others.
struct EstimateTrip: Sendable {
    static let kind = "trip"

    let clock: DomainClock
    let tracker: DeliveryTracker
    let trackingMessages: TrackingMessages

    static func timer(of courier: CourierID, dueAt: Date) -> DurableTimer {
        DurableTimer(kind: kind, key: courier.rawValue, dueAt: dueAt)
    }

    /// The couriers whose trip a change of a delivery alters, sorted; its present courier only without a fix.
    static func couriers(from former: Delivery?, to next: TrackedDelivery) -> [CourierID] {
        let (before, after) = (former.flatMap(TripStop.init), TripStop(next.delivery))
        guard before != after else { return [] }
        return Set([before?.courier, after?.courier].compactMap(\.self))
            .filter { $0 != next.delivery.courier?.id || next.tracking.lastFixAt == nil }.sorted()
    }

    /// Runs inside the transaction that removes the timer.
    func callAsFunction(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let courier = CourierID(rawValue: timer.key) else { return }
        let now = clock.now
        let carried = try await DeliveryRepository.live(of: courier, on: transaction)
        let untracked = carried.filter { $0.tracking.lastFixAt == nil }.map(\.delivery.id)
        guard !untracked.isEmpty else { return }
        let locked = try await DeliveryRepository.lockedDeliveries(untracked, in: transaction)
        let track = try await CourierRepository.track(of: courier, on: transaction)
        for id in untracked {
            guard var tracked = locked[id], tracked.delivery.courier?.id == courier else { continue }
            let update = tracker.update(&tracked, track: track, carried: carried.map(\.delivery), now: now)
            if !update.isEmpty {
                tracked.nextStep(isForScreens: update.isForScreens)
                try await transaction.enqueue(
                    try trackingMessages.messages(
                        for: tracked, milestones: update.milestones, isForScreens: update.isForScreens, at: now))
            }
            try await transaction.execute(DeliveryRepository.updateTracking(tracked))
        }
    }
}

/// A delivery's place on its courier's trip.
private struct TripStop: Hashable {
    let courier: CourierID
    let isCarried: Bool
    let stopsBefore: Int
    let promise: Promise

    /// Nil for a delivery that is no stop of a trip.
    init?(_ delivery: Delivery) {
        guard let courier = delivery.courier?.id, let stage = Stage(delivery), stage.isUnderWay else { return nil }
        self.courier = courier
        isCarried = stage == .carrying
        stopsBefore = delivery.stopsBefore
        promise = delivery.promise
    }
}
