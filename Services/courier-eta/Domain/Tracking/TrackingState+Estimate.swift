import ArrivalEstimate
import Foundation
import OrderDomain

extension TrackingState {
    /// Metres that a courier moves before the road engine is asked again.
    static let roadSampleMetres = 200.0

    /// Brings the estimate and the leg's facts up to the courier's track.
    ///
    /// - Parameters:
    ///   - remaining: the route as the delivery shows it; the leg's origin and roads are added here.
    ///   - carried: the courier's live deliveries, whose stops count where no fix shows the courier's place on this leg.
    ///   - handOvers: the hand-overs of them from other couriers.
    ///   - keepsEstimate: whether the estimate stays as it is.
    /// - Returns: whether this is the first fix that the delivery was tracked by.
    mutating func updateEstimate(
        of delivery: Delivery, in stage: Stage, along remaining: Route, carried: [Delivery],
        handOvers: [DeliveryID: HandOver], track: CourierTrack, by estimator: ArrivalEstimator,
        roads: any RoadDistance, keepsEstimate: Bool, now: Date
    ) -> Bool {
        var route = remaining
        var isFirstFix = false
        if let latest = track.recentFix(at: now) {
            isFirstFix = lastFixAt == nil
            lastFixAt = latest.time
            silentAfter = track.silentAfter
            // The track is bounded, so the origin of a long leg is kept here.
            if legOrigin == nil, latest.time >= legStartedAt {
                legOrigin = track.believed.first { $0.time >= legStartedAt }?.place
            }
            route.origin = legOrigin
            if stage.isUnderWay, !keepsEstimate {
                sampleRoad(along: route, from: latest, roads: roads)
                route.roadShare = roadSamples?.last?.reading.share ?? 1
                estimate = estimator.estimate(track, along: route, since: legStartedAt, now: now)
            }
            // A courier who fetches the goods first brings them no nearer to the door.
            if stage == .carrying, latest.time >= legStartedAt, delivery.fetchedFrom == nil {
                legProgress = max(legProgress ?? 0, delivery.distanceShareDone(at: latest.place))
            }
        } else if stage.isUnderWay, lastFixAt == nil || !isEstimateOfLeg, !keepsEstimate,
            var upcoming = UpcomingDelivery(
                delivery, live: carried, utcOffset: route.utcOffset, dwell: estimator.model.dwell,
                handOvers: handOvers)
        {
            // Of a courier without a fix it is known when they left the store, or the last door that they have left.
            upcoming.origin = wayOrigin
            estimate = estimator.initialEstimate(for: upcoming, since: wayStartedAt ?? legStartedAt, now: now)
        }
        return isFirstFix
    }

    /// Records the distance by road where it is known and the courier has moved since the last reading.
    private mutating func sampleRoad(along route: Route, from latest: Fix, roads: any RoadDistance) {
        guard let next = route.stops.first?.place else { return }
        if let former = roadSamples?.last, former.from.distance(to: latest.place) <= Self.roadSampleMetres { return }
        let road = roads.road(from: latest.place, to: next, by: route.mode)
        guard road.isRouted else { return }
        var samples = roadSamples ?? []
        if samples.count >= Self.roadSamplesMax { samples.remove(at: 1) }
        samples.append(RoadSample(from: latest.place, reading: RoadReading(at: latest.time, share: road.share)))
        roadSamples = samples
    }
}

extension Delivery {
    /// Share of the straight line from store to door that is behind a courier at `place`, 0 to 1.
    fileprivate func distanceShareDone(at place: Coordinate) -> Double {
        let whole = store.location.distance(to: door)
        guard whole > 0 else { return 1 }
        return min(1, max(0, 1 - place.distance(to: door) / whole))
    }
}
