import ArrivalEstimate
import Foundation
import Messages
import OrderDomain

/// Tracks deliveries: a pure function of a snapshot or a courier's track, the state so far, and a time passed in.
///
/// An update is estimate, milestones, publication and risk, in this order.
struct DeliveryTracker: Sendable {
    /// The newest model's.
    var estimator: @Sendable () -> ArrivalEstimator = { ArrivalEstimator() }
    var publication = PublicationDecision()
    /// Distances by road, as far as they are known.
    var roads: any RoadDistance = DetourFactorDistance()
    var distanceOnCards = DistanceOnCards()

    /// A delivery's first snapshot, or the next version of one that is tracked.
    func begin(_ change: DeliveryChanged, after former: TrackedDelivery?) -> TrackedDelivery {
        let delivery = change.delivery
        let detector = MilestoneDetector(delivery)
        guard let former else {
            var tracking = TrackingState(legStartedAt: delivery.statusSince, detector: detector)
            if delivery.fetchedFrom != nil { tracking.fetchingSince = change.changedAt }
            return TrackedDelivery(change: change, tracking: tracking, step: 0)
        }
        var next = TrackedDelivery(change: change, tracking: former.tracking, step: former.step)
        next.tracking.detector = detector
        if former.delivery.assignmentEpoch != delivery.assignmentEpoch || former.delivery.episode != delivery.episode {
            // Another courier: nothing of the former one's track applies.
            next.tracking.removeArrival()
            next.tracking.lastFixAt = nil
            next.tracking.silentAfter = nil
            next.tracking.hasEnrolledPhone = nil
            next.tracking.otherStops = nil
            next.tracking.fetchingSince = nil
        }
        // They are other customers' doors.
        if delivery.endedAt != nil {
            next.tracking.otherStops = nil
            next.tracking.wayOrigin = nil
        }
        if delivery.fetchedFrom != nil || next.tracking.fetchingSince != nil, !delivery.isFetched(as: former.delivery) {
            next.tracking.fetchingSince = change.changedAt
        }
        // A courier at the door stays there: orders corrects the position of that door by a few metres.
        let hasMovedDoor = former.delivery.door != delivery.door && Stage(delivery) != .atDoor
        if hasMovedDoor { next.tracking.removeArrival() }
        if former.delivery.flags.contains(.onHold), !delivery.flags.contains(.onHold) {
            next.tracking.releasedAt = change.changedAt
        }
        if Stage(delivery) == .atDoor { next.tracking.horizonEstimates = nil }
        let (formerLeg, leg) = (Leg(former.delivery), Leg(delivery))
        // A stop less or more before the door brings the goods no further from it; nor is the courier back at the store
        // after a correction of the door.
        let hasSameGoods = leg.hasSameGoods(as: formerLeg)
        if hasMovedDoor || !hasSameGoods { next.tracking.legProgress = nil }
        if !hasSameGoods { next.tracking.wayOrigin = nil }
        if formerLeg == leg, !hasMovedDoor {
            next.tracking.detector = detector.continuing(former.tracking.detector)
        } else {
            next.tracking.wayStartedAt =
                hasSameGoods ? former.tracking.wayStartedAt ?? former.tracking.legStartedAt : nil
            next.tracking.legStartedAt = change.changedAt
            next.tracking.legOrigin = nil
            next.tracking.roadSamples = nil
            // On the way once more, so the door that was reached was not the last.
            if Stage(delivery) == .carrying { next.tracking.arrivedLeg = nil }
        }
        return next
    }

    /// Updates a delivery's state from its courier's track.
    ///
    /// - Parameters:
    ///   - carried: the courier's live deliveries, in the order of the trip.
    ///   - handOvers: the hand-overs of the other ones from other couriers.
    func update(
        _ tracked: inout TrackedDelivery, track: CourierTrack, carried: [Delivery],
        handOvers: [DeliveryID: HandOver] = [:], now: Date
    ) -> TrackingUpdate {
        let delivery = tracked.delivery
        var handOvers = handOvers
        handOvers[delivery.id] = tracked.handOver
        let estimator = estimator()
        guard let stage = Stage(delivery),
            var route = Route(
                delivery, carried: carried, track: track, dwell: estimator.model.dwell,
                handOvers: handOvers)
        else { return TrackingUpdate() }
        var tracking = tracked.tracking
        defer { tracked.tracking = tracking }

        tracking.recordStops(of: carried, besides: delivery.id)
        let silence = input(of: delivery, tracking, stage: stage, track: track, now: now)
        let isSilent = tracking.detector.seesSilence(in: silence)
        // In silence another estimate of the leg, from the same fix, would move ahead of the clock.
        let keepsEstimate =
            tracking.isEstimateOfLeg
            && (isSilent || tracked.basis?.agrees(with: track, along: route, now: now) == true)
        if !keepsEstimate { route.utcOffset = delivery.store.secondsFromUTC(at: now) }
        let isFirstFix = tracking.updateEstimate(
            of: delivery, in: stage, along: route, carried: carried, handOvers: handOvers, track: track,
            by: estimator, roads: roads, keepsEstimate: keepsEstimate, now: now)
        // No update is due for it: the card has it as of the update that something else causes.
        tracking.withinMetres = track.latest.flatMap {
            distanceOnCards.bound(
                of: delivery, since: max(tracking.legStartedAt, tracking.releasedAt ?? .distantPast), latest: $0,
                now: now
            )?.metres
        }
        if !keepsEstimate {
            // An estimate from before the first fix, or from before this update, has none.
            tracked.basis = tracking.estimate.flatMap {
                $0.madeAt == now && tracking.lastFixAt == track.latest?.time
                    ? estimator.basis(of: $0, from: track, along: route) : nil
            }
        }
        if stage.isUnderWay, let estimate = tracking.estimate {
            tracking.missProbability = MissRisk.probability(
                of: estimate, promiseEnd: delivery.promise.end,
                silenceSince: isSilent ? silence.silenceSince : nil, now: now)
        }

        var update = TrackingUpdate()
        update.milestones = tracking.detectMilestones(
            input(of: delivery, tracking, Array(handOvers.values), stage: stage, track: track, now: now))
        let stopChanged = (tracking.standingSince == nil) != (tracking.lastPublished.standingSince == nil)

        // The first estimate with a fix replaces the initial one; a stop changes the arrival that it is shown with.
        let isForced = (isFirstFix || stopChanged) && stage.isUnderWay
        let losesWindow =
            stage.isUnderWay && isSilent && silence.reportsSilence
            && publication.isOver(tracking.shown, at: now)
        let stops = StopsAhead.ids(before: delivery, among: carried)
        if isSilent {
            // A leg that begins in silence, as by a pickup, has an estimate of its own: the former leg's cannot be true.
            if stage.isUnderWay, !keepsEstimate, tracking.isEstimateOfLeg, let estimate = tracking.estimate {
                tracking.publish(estimate, after: stops)
                update.publishesEstimate = true
            } else if losesWindow {
                tracking.isWindowOver = true
            }
        } else if let estimate = tracking.estimate {
            let hasOtherStops = stage.isUnderWay && (tracking.publishedStops ?? stops) != stops
            let isEnding = stage == .carrying && publication.isEnding(tracking, now: now)
            if let published = publication.estimate(
                estimate, over: tracking.shown, milestones: update.milestones, isForced: isForced || isEnding,
                hasOtherStops: hasOtherStops)
            {
                tracking.publish(published, after: stops)
                update.publishesEstimate = true
            } else if hasOtherStops {
                // They moved the arrival by too little to see: what is published holds for them too.
                tracking.publishedStops = stops
            }
        }
        if stage.isUnderWay { tracking.recordHorizon(at: now) }
        if ActivityIntents.writesActivity(delivery) {
            update.refreshesScreens =
                losesWindow || stopChanged || stage.isUnderWay && publication.isRefreshDue(tracking, now: now)
        }

        if MissRisk.isReportDue(tracking, now: now) {
            update.reportsRisk = true
            tracking.riskReportedAt = now
        }
        return update
    }

    /// When the delivery is updated if no fix is received before, which is when a phone that is tracked counts as silent;
    /// nil in stages without silence detection.
    func silentAt(_ tracked: TrackedDelivery, track: CourierTrack, now: Date) -> Date? {
        Stage(tracked.delivery).flatMap {
            input(of: tracked.delivery, tracked.tracking, stage: $0, track: track, now: now).silentAt
        }
    }

    /// When a silent courier's delivery is updated next: after the usual time, or when the shown window is over.
    func nextUpdate(inSilenceOf tracked: TrackedDelivery, after seconds: Double, now: Date) -> Date {
        let usual = now.addingTimeInterval(seconds)
        guard tracked.tracking.detector.isSilent, let shown = tracked.tracking.shown else { return usual }
        let end = publication.windowEnd(of: shown)
        return end > now ? min(usual, end) : usual
    }

    private func input(
        of delivery: Delivery, _ tracking: TrackingState, _ handOvers: [HandOver] = [], stage: Stage,
        track: CourierTrack, now: Date
    ) -> MilestoneInput {
        MilestoneInput(
            mode: delivery.courier.map { TravelMode($0.vehicle) } ?? .bicycle, stage: stage,
            isAttempted: delivery.status == .handedOver(.attempted),
            stageSince: tracking.legStartedAt, store: delivery.store.location, door: delivery.door,
            // Where goods are fetched, which is stored with those goods alone: it is another courier's place.
            otherStops: (tracking.otherStops ?? []) + handOvers.compactMap(\.place),
            stopsSince: handOvers.compactMap(\.since).max(),
            isNextStop: delivery.isNextStop, promiseEnd: delivery.promise.end, track: track,
            estimate: stage.isUnderWay ? tracking.estimate : nil,
            isTracked: delivery.store.tracksCouriers != false && tracking.hasPhone,
            // A provider sends positions when it likes, and has no phone of ours that could be called.
            reportsSilence: !delivery.isCarriedByProvider, now: now)
    }
}

/// The identity of a leg: its stage, its episode, its courier, the number of stops before, and whether goods are to be
/// fetched first.
private struct Leg: Hashable {
    let stage: Stage?
    let episode: Int
    let epoch: Int
    let stopsBefore: Int
    let isFetching: Bool

    init(_ delivery: Delivery) {
        stage = Stage(delivery)
        episode = delivery.episode
        epoch = delivery.assignmentEpoch
        stopsBefore = delivery.stopsBefore
        isFetching = delivery.fetchedFrom != nil
    }

    /// Whether the goods are with the same courier as on `other`, in the same stage; only other stops may come first.
    func hasSameGoods(as other: Leg) -> Bool {
        (stage, episode, epoch, isFetching) == (other.stage, other.episode, other.epoch, other.isFetching)
    }
}
