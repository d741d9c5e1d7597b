import ArrivalEstimate
import Foundation
import Messages
import OrderDomain

/// What this service knows of one delivery beside the snapshot that `orders` sent.
struct Watch: Codable, Hashable, Sendable {
    /// When the present part of the way began; fixes from before it speak of another.
    var legSince: Date
    /// Where the courier was when it began; nil until the first fix of it.
    var legOrigin: Place?
    /// The newest estimate, worth showing or not.
    var estimate: ArrivalEstimate?
    /// What screens show.
    var published: ArrivalEstimate?
    var signs: SignRecord
    /// How much of the way from store to door is done, 0 to 1; never goes back on one leg.
    var legProgress: Double?
    /// When the courier's phone was last heard.
    var lastFixAt: Date?
    /// What a road engine said on this leg, oldest first; nil until it said something.
    var roads: [RoadLook]?
    /// The way that led to the door last; nil before.
    var arrived: Arrived?
    /// Seconds after which the courier's phone counts as silent; nil until it was heard.
    var silentAfter: Double?
    /// Since when the courier stands still, once a customer is to be told.
    var standingSince: Date?
    /// The probability that the promise is missed, by the newest estimate.
    var missProbability: Double?
    /// When operators were told last that it had changed.
    var listedAt: Date?
    /// Doors and stores of what else the courier came with, those that are done too: standing there is work.
    var otherStops: [Place]?
    /// What the newest word showed beside the estimate, so that healing says the same again.
    var said = Said()
    /// Milestones, oldest first.
    var told: [Told] = []

    struct Told: Codable, Hashable, Sendable {
        let sign: Sign
        let at: Date
    }

    /// A way to the door that was ridden to its end.
    struct Arrived: Codable, Hashable, Sendable {
        let legSince: Date
        let legOrigin: Place
        /// Of the first fix at the door.
        let at: Date
        let roads: [RoadReading]
    }

    struct Said: Codable, Hashable, Sendable {
        var legProgress: Double?
        var lastFixAt: Date?
        var standingSince: Date?
        /// Until when a screen may believe it with no further word.
        var freshUntil: Date?
        var missProbability: Double?
    }

    static let toldMax = 32
    static let otherStopsMax = 32
    /// Of a leg that goes on for longer, the first and the newest are kept.
    static let roadsMax = 8

    /// Until when a screen may believe what is published, should nothing more be said; nil before an estimate.
    var freshUntil: Date? {
        published?.believableUntil(
            heardAt: max(lastFixAt ?? legSince, legSince), silentAfter: silentAfter ?? CourierTrack().silentAfter)
    }
}

/// What a road engine said about the way to the next stop, and where the courier was then.
struct RoadLook: Codable, Hashable, Sendable {
    let from: Place
    let reading: RoadReading
}

/// A delivery under watch: `orders`' word about it, ours, and how many words we have said.
struct WatchedDelivery: Hashable, Sendable {
    var change: DeliveryChanged
    var watch: Watch
    /// Counts our words; the newest word's number.
    var step: Int

    var delivery: Delivery { change.delivery }

    /// Begins the next word about the delivery.
    ///
    /// - Parameter isForScreens: false where only operators hear it: screens then hold what they held.
    mutating func nextWord(isForScreens: Bool = true) {
        step += 1
        watch.said.missProbability = watch.missProbability
        guard isForScreens else { return }
        watch.said = Watch.Said(
            legProgress: watch.legProgress, lastFixAt: watch.lastFixAt, standingSince: watch.standingSince,
            freshUntil: watch.freshUntil, missProbability: watch.missProbability)
    }
}

/// What looking at a delivery brought.
struct Observation: Hashable, Sendable {
    /// Milestones that are new.
    var signs: [Sign] = []
    /// Whether the estimate should be shown in place of the one that is.
    var isWorthShowing = false
    /// Whether screens should be told something else than an arrival, or the same before they hold it for old.
    var isWorthRepeating = false
    /// Whether the promise stands so differently that operators should see it.
    var isWorthListing = false

    /// Whether there is something for a card in it.
    var isForScreens: Bool { isWorthShowing || isWorthRepeating || signs.contains(where: \.isForScreens) }
    var isQuiet: Bool { signs.isEmpty && !isWorthShowing && !isWorthRepeating && !isWorthListing }
}

/// Looks at deliveries with the eyes of the estimator: pure, over values and a time passed in.
struct Watcher: Sendable {
    /// The newest model's.
    var estimator: @Sendable () -> ArrivalEstimator = { ArrivalEstimator() }
    var policy = PublishingPolicy.standard
    /// How far it is by road, as far as that is known.
    var roads: any RoadDistance = UsualRoads()

    /// Metres that a courier moves before a road engine is asked again.
    static let roadLookMetres = 200.0
    /// Seconds after which a track tells nothing about where the courier is now.
    static let trackSecondsMax = 30.0 * 60
    /// How much the probability of a missed promise must have changed for operators' lists.
    static let riskChange = 0.1
    /// Seconds between two such words: close to the promise ten points are a breath of the estimate.
    static let listingSpacingSeconds = 30.0
    /// Seconds by which a word must outlast the one before to be worth repeating.
    static let freshSecondsMin = 60.0

    /// A delivery as it is seen first, or the next version of one that is watched.
    func begin(_ change: DeliveryChanged, after former: WatchedDelivery?) -> WatchedDelivery {
        let delivery = change.delivery
        let signs = SignRecord(delivery)
        guard let former else {
            let watch = Watch(legSince: delivery.statusSince, signs: signs)
            return WatchedDelivery(change: change, watch: watch, step: 0)
        }
        var next = WatchedDelivery(change: change, watch: former.watch, step: former.step)
        next.watch.signs = signs
        if former.delivery.assignmentEpoch != delivery.assignmentEpoch || former.delivery.episode != delivery.episode {
            // Another courier, another way.
            next.watch.estimate = nil
            next.watch.published = nil
            next.watch.lastFixAt = nil
            next.watch.silentAfter = nil
            next.watch.missProbability = nil
            next.watch.otherStops = nil
            next.watch.arrived = nil
        }
        if Leg(former.delivery) == Leg(delivery) {
            next.watch.signs = signs.continuing(former.watch.signs)
        } else {
            next.watch.legSince = change.changedAt
            next.watch.legOrigin = nil
            next.watch.legProgress = nil
            next.watch.roads = nil
            // On the way once more, so the door that was reached was not the last.
            if Stage(delivery) == .carrying { next.watch.arrived = nil }
        }
        return next
    }

    /// Brings a delivery's estimate and milestones up to what its courier's track shows.
    ///
    /// - Parameter carried: what else the same courier is under way with.
    func observe(
        _ watched: inout WatchedDelivery, track: CourierTrack, carried: [Delivery], now: Date
    ) -> Observation {
        let delivery = watched.delivery
        let estimator = estimator()
        guard let stage = Stage(delivery),
            var route = Route(delivery, carried: carried, track: track, stays: estimator.model.stays)
        else { return Observation() }
        var observation = Observation()
        watched.watch.note(stopsOf: carried, besides: delivery.id)
        route.utcOffset = delivery.store.secondsFromUTC(at: now)
        var isFirstHeard = false
        if let latest = track.latest, now.timeIntervalSince(latest.time) <= Self.trackSecondsMax {
            isFirstHeard = watched.watch.lastFixAt == nil
            watched.watch.lastFixAt = latest.time
            watched.watch.silentAfter = track.silentAfter
            // The track forgets where a long leg began.
            if watched.watch.legOrigin == nil, latest.time >= watched.watch.legSince {
                watched.watch.legOrigin = track.believed.first { $0.time >= watched.watch.legSince }?.place
            }
            route.origin = watched.watch.legOrigin
            if stage.isUnderWay {
                watched.watch.look(along: route, from: latest, roads: roads)
                route.roadShare = watched.watch.roads?.last?.reading.share ?? 1
                watched.watch.estimate = estimator.estimate(
                    track, along: route, since: watched.watch.legSince, now: now)
            }
            if stage == .carrying, latest.time >= watched.watch.legSince {
                watched.watch.legProgress = max(watched.watch.legProgress ?? 0, delivery.wayDone(at: latest.place))
            }
        } else if stage.isUnderWay, watched.watch.lastFixAt == nil {
            watched.watch.estimate = estimator.firstEstimate(
                of: DeliveryAhead(delivery, route: route, stays: estimator.model.stays), since: watched.watch.legSince,
                now: now)
        }
        if stage.isUnderWay, let estimate = watched.watch.estimate {
            watched.watch.missProbability =
                now >= delivery.promise.end ? 1 : estimate.probability(after: delivery.promise.end)
        }
        let sighting = sighting(of: watched, stage: stage, track: track, now: now)
        observation.signs = watched.watch.signs.notice(sighting)
        for sign in observation.signs {
            watched.watch.told.append(.init(sign: sign, at: sign.isPlace ? watched.watch.lastFixAt ?? now : now))
        }
        if observation.signs.contains(.atDoor) { watched.watch.noteArrival() }
        watched.watch.told.removeFirst(max(0, watched.watch.told.count - Watch.toldMax))
        watched.watch.standingSince = watched.watch.signs.standingToShow(heardAt: watched.watch.lastFixAt)
        let isStandingNews = (watched.watch.standingSince == nil) != (watched.watch.said.standingSince == nil)
        if let estimate = watched.watch.estimate {
            observation.isWorthShowing = policy.shouldPublish(
                estimate, over: watched.watch.published, isNews: observation.signs.contains { $0.isNews })
            // What was said before anything was seen gives way to the first sight; who is told that the courier stands
            // still is told what that makes of the arrival.
            if isFirstHeard || isStandingNews, stage.isUnderWay { observation.isWorthShowing = true }
            if observation.isWorthShowing {
                watched.watch.published = estimate
            } else if let tighter = watched.watch.published.flatMap({ policy.tightened($0, by: estimate) }) {
                watched.watch.published = tighter
                observation.isWorthShowing = true
            }
        }
        if ActivityIntents.writesActivity(delivery) {
            observation.isWorthRepeating = isStandingNews || stage.isUnderWay && isGrowingOld(watched.watch, now: now)
        }
        let risk = watched.watch.missProbability ?? 0
        let isDue = watched.watch.listedAt.map { now.timeIntervalSince($0) >= Self.listingSpacingSeconds } ?? true
        if isDue, abs(risk - (watched.watch.said.missProbability ?? 0)) >= Self.riskChange {
            observation.isWorthListing = true
            watched.watch.listedAt = now
        }
        return observation
    }

    /// Whether screens will hold for old what is still true: less than half of the time is left that a repeat would give.
    private func isGrowingOld(_ watch: Watch, now: Date) -> Bool {
        guard !watch.signs.isSilent, let said = watch.said.freshUntil, let next = watch.freshUntil,
            next.timeIntervalSince(said) >= Self.freshSecondsMin
        else { return false }
        return said.timeIntervalSince(now) < next.timeIntervalSince(now) / 2
    }

    /// When somebody must look whether the courier's phone is silent; nil where silence says nothing.
    func silentAt(_ watched: WatchedDelivery, track: CourierTrack, now: Date) -> Date? {
        Stage(watched.delivery).flatMap { sighting(of: watched, stage: $0, track: track, now: now).silentAt }
    }

    private func sighting(of watched: WatchedDelivery, stage: Stage, track: CourierTrack, now: Date) -> Sighting {
        let delivery = watched.delivery
        return Sighting(
            mode: delivery.courier.map { TravelMode($0.vehicle) } ?? .bicycle, stage: stage,
            stageSince: watched.watch.legSince, store: Place(delivery.store.location), door: Place(delivery.door),
            otherStops: watched.watch.otherStops ?? [], isNextStop: delivery.stopsBefore == 0,
            promiseEnd: delivery.promise.end,
            track: track, estimate: stage.isUnderWay ? watched.watch.estimate : nil, now: now)
    }
}

extension Watch {
    /// Keeps what the way was that has just ended at the door.
    fileprivate mutating func noteArrival() {
        guard let legOrigin, let lastFixAt, arrived?.legSince != legSince else { return }
        arrived = Arrived(
            legSince: legSince, legOrigin: legOrigin, at: lastFixAt, roads: roads?.map(\.reading) ?? [])
    }

    /// Takes in what is known of the road, where the courier has moved since that was asked last.
    fileprivate mutating func look(along route: Route, from latest: Fix, roads: any RoadDistance) {
        guard let next = route.stops.first?.place else { return }
        if let former = self.roads?.last, former.from.distance(to: latest.place) <= Watcher.roadLookMetres { return }
        let road = roads.road(from: latest.place, to: next, by: route.mode)
        guard road.isRouted else { return }
        var looks = self.roads ?? []
        if looks.count >= Self.roadsMax { looks.remove(at: 1) }
        looks.append(RoadLook(from: latest.place, reading: RoadReading(at: latest.time, share: road.share)))
        self.roads = looks
    }

    /// Remembers where else the courier stops: a door is one still when its delivery has ended there a moment ago.
    fileprivate mutating func note(stopsOf carried: [Delivery], besides delivery: DeliveryID) {
        let known = otherStops ?? []
        var stops = known
        for other in carried where other.id != delivery {
            for stop in [Place(other.door), Place(other.store.location)] where !stops.contains(stop) {
                stops.append(stop)
            }
        }
        guard stops.count > known.count else { return }
        otherStops = Array(stops.suffix(Self.otherStopsMax))
    }
}

/// What makes one part of the way another: who goes, where to, with how many stops before.
private struct Leg: Hashable {
    let stage: Stage?
    let epoch: Int
    let stopsBefore: Int

    init(_ delivery: Delivery) {
        stage = Stage(delivery)
        epoch = delivery.assignmentEpoch
        stopsBefore = delivery.stopsBefore
    }
}

extension Store {
    /// Seconds by which the store's clock is ahead of UTC; 0 for a time zone that nobody knows.
    func secondsFromUTC(at now: Date) -> Double {
        Double(TimeZone(identifier: timeZone)?.secondsFromGMT(for: now) ?? 0)
    }
}

extension Delivery {
    /// How much of the straight line from store to door is behind a courier at `place`, 0 to 1.
    fileprivate func wayDone(at place: Place) -> Double {
        let whole = Place(store.location).distance(to: Place(door))
        guard whole > 0 else { return 1 }
        return min(1, max(0, 1 - place.distance(to: Place(door)) / whole))
    }
}
