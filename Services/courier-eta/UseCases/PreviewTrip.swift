import ArrivalEstimate
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// Proposes the order of a courier's stops with further deliveries, and estimates each arrival; it changes nothing.
struct PreviewTrip: Sendable {
    static let addedMax = 100

    let pool: PostgresPool
    let clock: DomainClock
    let tracker: DeliveryTracker

    /// Each added delivery is unknown or has ended; this is one of them.
    struct NotLive: Error, Hashable, Sendable {
        let delivery: DeliveryID
    }

    /// A trip with more stops than one may have: a part of the move would be refused.
    ///
    /// It counts deliveries.
    struct TooManyStops: Error, Hashable, Sendable {
        let own: Int
        let added: Int
    }

    /// The most stops of a trip; bags of one door are one.
    static let stopsMax = TripBody.stopsBeforeRange.count

    /// Leaves out added deliveries that are unknown or have ended, as after a tap at a door meanwhile.
    ///
    /// - Throws: ``NotLive`` where that leaves none of the added ones; ``TooManyStops``.
    func callAsFunction(of courier: CourierID, adding ids: [DeliveryID]) async throws -> TripPreviewBody {
        let now = clock.now
        let own = try await DeliveryRepository.live(of: courier, on: pool)
        let further = Set(ids).subtracting(own.map(\.delivery.id)).sorted()
        let known = try await DeliveryRepository.deliveries(further, on: pool)
        let added = further.compactMap { known[$0] }.filter { !$0.delivery.status.isEnded }
        let notLive = Set(further).subtracting(added.map(\.delivery.id)).sorted()
        if let first = notLive.first, notLive.count == Set(ids).count { throw NotLive(delivery: first) }
        let carriers = (own + added).compactMap { $0.delivery.fetchedFrom?.id ?? $0.delivery.courier?.id }
        let tracks = try await CourierRepository.tracks(of: Set(carriers + [courier]).sorted(), on: pool)
            .mapValues(\.followed)
        var rider = own.first?.delivery.courier
        if rider == nil { rider = try await DeliveryRepository.newestCourier(courier, on: pool) }
        let plan = try TripPlan(
            adding: added.map(\.delivery),
            to: rider ?? Courier(id: courier, name: courier.rawValue, vehicle: .bicycle, phone: nil),
            with: own.map(\.delivery),
            places: tracks.compactMapValues { $0.recentFix(at: now)?.place }, at: now)
        guard added.isEmpty || plan.stops.allSatisfy({ TripBody.stopsBeforeRange.contains($0.stopsBefore) }) else {
            throw TooManyStops(own: own.count, added: added.count)
        }
        let former = Dictionary(uniqueKeysWithValues: (own + added).map { ($0.delivery.id, $0) })
        let addedIDs = Set(added.map(\.delivery.id))
        let planned = plan.stops.compactMap { delivery in
            former[delivery.id].map { begun(delivery, after: $0, tracks: tracks, now: now) }
        }
        let handOvers = planned.handOvers
        return TripPreviewBody(
            courier: courier, asOf: now,
            stops: planned.compactMap { next in
                former[next.delivery.id].map { before in
                    var after = next
                    let track = next.delivery.courier.flatMap { tracks[$0.id] } ?? CourierTrack()
                    _ = tracker.update(
                        &after, track: track, carried: plan.stops, handOvers: handOvers, now: now)
                    return TripPreviewBody.Stop(
                        after, before: before, isAdded: addedIDs.contains(next.delivery.id), now: now)
                }
            }, notLive: notLive.isEmpty ? nil : notLive)
    }

    /// The delivery after the planned change, as the snapshot of it would bring, before the estimate on the trip.
    private func begun(
        _ delivery: Delivery, after former: TrackedDelivery, tracks: [CourierID: CourierTrack], now: Date
    ) -> TrackedDelivery {
        var next = former
        if delivery != former.delivery {
            let change = DeliveryChanged(delivery: delivery, links: [], cause: "courier", changedAt: now)
            next = tracker.begin(change, after: former)
        }
        var seen: Coordinate?
        if !delivery.isFetched(as: former.delivery) {
            seen = delivery.fetchedFrom.flatMap { tracks[$0.id]?.recentFix(at: now)?.place }
        }
        next.tracking.fetchPlace = next.fetchPlace(after: former.delivery, seen: seen)
        return next
    }
}

extension TripPreviewBody.Stop {
    fileprivate init(_ after: TrackedDelivery, before: TrackedDelivery, isAdded: Bool, now: Date) {
        let (delivery, former) = (after.delivery, before.delivery)
        let end = delivery.promise.end
        let isUnderWay = Stage(delivery)?.isUnderWay == true
        // From the door on the present estimate is of no arrival to come.
        let formerEstimate = former.hasReachedDoor ? nil : before.tracking.forReaders
        let estimate = isUnderWay ? after.tracking.forReaders : nil
        func isLate(_ estimate: Estimate?) -> Bool { max(estimate?.arrivesAt ?? now, now) > end }
        self.init(
            delivery: delivery.id, reference: delivery.reference, bag: delivery.bag, version: former.version,
            stopsBefore: delivery.stopsBefore, formerStopsBefore: former.stopsBefore, isAdded: isAdded,
            formerCourier: former.courier?.id, fetchedFrom: delivery.fetchedFrom?.name, promiseEnd: end,
            timeZone: delivery.store.timeZone, estimate: estimate, formerEstimate: formerEstimate,
            isLate: isLate(estimate), wasLate: isLate(formerEstimate), isOnHold: delivery.flags.contains(.onHold),
            wasOnHold: former.flags.contains(.onHold))
    }
}
