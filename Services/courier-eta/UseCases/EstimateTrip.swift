import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Updates a courier's deliveries after another one joined, left, was fetched, changed its place on the trip or got
/// another door.
///
/// After a move from courier to courier all of them are, so that lists show the arrivals of its preview at once. After
/// other changes only deliveries without a fix: the next fix updates the rest.
struct EstimateTrip: Sendable {
    static let kind = "trip"

    let clock: DomainClock
    let tracker: DeliveryTracker
    let trackingMessages: TrackingMessages

    static func timer(of courier: CourierID, dueAt: Date) -> DurableTimer {
        DurableTimer(kind: kind, key: courier.rawValue, dueAt: dueAt)
    }

    /// The couriers whose trip a change of a delivery alters, sorted; its present courier only after a move or without
    /// a fix.
    static func couriers(from former: Delivery?, to next: TrackedDelivery) -> [CourierID] {
        let (before, after) = (former.flatMap(TripStop.init), TripStop(next.delivery))
        guard before != after else { return [] }
        let hasMoved = isMove(from: former, to: next.delivery)
        return Set([before?.courier, after?.courier].compactMap(\.self))
            .filter { hasMoved || $0 != next.delivery.courier?.id || isUntracked(next) }.sorted()
    }

    /// Whether a change gives a delivery another courier, or none any more.
    static func isMove(from former: Delivery?, to next: Delivery) -> Bool { former?.courier?.id != next.courier?.id }

    static func isUntracked(_ tracked: TrackedDelivery) -> Bool { tracked.tracking.lastFixAt == nil }

    /// Runs inside the transaction that removes the timer.
    func callAsFunction(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let courier = CourierID(rawValue: timer.key) else { return }
        let now = clock.now
        let live = try await DeliveryRepository.live(of: courier, on: transaction)
        let (carried, handOvers) = (live.inTripOrder, live.handOvers)
        let due = live.filter { Self.isUntracked($0) || $0.hasOtherStops(among: carried) }.map(\.delivery.id)
        guard !due.isEmpty else { return }
        let locked = try await DeliveryRepository.lockedDeliveries(due, in: transaction)
        let track = try await CourierRepository.track(of: courier, on: transaction)
        // Several deliveries have the same gone stops, which are read once; with a recent fix none of them counts.
        let gone: [DeliveryID] =
            track.recentFix(at: now) == nil ? locked.values.flatMap { $0.stopsGone(among: carried) } : []
        let begun = try await DeliveryRepository.deliveries(Set(gone).sorted(), on: transaction)
        var messages: [OutboxMessage] = []
        for id in due {
            guard var tracked = locked[id], tracked.delivery.courier?.id == courier else { continue }
            try await tracked.beginWay(among: carried, track: track, begun: begun, at: now, in: transaction)
            let update = tracker.update(
                &tracked, track: track, carried: carried, handOvers: handOvers, now: now)
            messages += try trackingMessages.nextStep(of: &tracked, by: update, at: now)
            try await transaction.execute(DeliveryRepository.updateTracking(tracked))
        }
        try await transaction.enqueue(messages)
    }
}

/// A delivery's place on its courier's trip.
private struct TripStop: Hashable {
    let courier: CourierID
    let isCarried: Bool
    /// The courier who has the goods until they are fetched, at a further stop.
    let carrier: CourierID?
    let stopsBefore: Int
    let door: Coordinate
    let promise: Promise

    /// Nil for a delivery that is no stop of a trip.
    init?(_ delivery: Delivery) {
        guard let courier = delivery.courier?.id, delivery.isStop else { return nil }
        self.courier = courier
        isCarried = delivery.isDoorAhead
        carrier = delivery.fetchedFrom?.id
        stopsBefore = delivery.stopsBefore
        door = delivery.door
        promise = delivery.promise
    }
}
