import ArrivalEstimate
import Foundation
import OrderDomain

extension Stage {
    /// The stage of a delivery by its status; nil without a courier, and after its end.
    init?(_ delivery: Delivery) { self.init(DeliveryRevision(delivery)) }

    /// The stage by the delivery's revision.
    init?(_ delivery: DeliveryRevision) {
        guard delivery.courier != nil else { return nil }
        switch delivery.status {
        case .preparing(_, .unassigned): return nil
        case .preparing(_, .assigned): self = .assigned
        case .preparing(_, .toStore), .preparing(_, .atStore): self = .toStore
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving): self = .carrying
        case .handedOver(.atDoor), .handedOver(.attempted): self = .atDoor
        case .handedOver(.returning): self = .returning
        case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed): return nil
        }
    }

    /// Whether there is an arrival to estimate.
    var isUnderWay: Bool {
        switch self {
        case .assigned, .toStore, .carrying: true
        case .atDoor, .returning: false
        }
    }
}

extension Route {
    /// The remaining route to a delivery's door; nil without a courier.
    ///
    /// Before pickup it leads through the store, and then through the earlier doors of what is fetched with it.
    /// Earlier doors of what the courier carries come first, the one that they are at before the others, until they have
    /// left it.
    /// The courier's dwell so far at the next of several stops is subtracted.
    ///
    /// - Parameter handOvers: the hand-overs of deliveries from other couriers.
    init?(
        _ delivery: Delivery, carried: [Delivery], track: CourierTrack, dwell: DwellTimes,
        handOvers: [DeliveryID: HandOver] = [:]
    ) {
        let earlier =
            carried
            .filter {
                $0.stopsBefore < delivery.stopsBefore && $0.id != delivery.id && $0.isDoorAhead
                    && !$0.isLeft(by: track)
            }
            .sorted { $0.placeOnWay < $1.placeOnWay }
        let isInStore = delivery.status.courierStatus != nil
        self.init(
            delivery, after: earlier, fetching: isInStore ? StopsAhead(of: delivery, among: carried).fetched : [],
            track: track, dwell: dwell, handOvers: handOvers)
    }

    /// The remaining route to a delivery's door through the doors of earlier deliveries; nil without a courier.
    ///
    /// Goods that another courier has are fetched at once, before the first door that any of them is for. The bags that
    /// a customer gets at one door are one stop, at the place of the first.
    ///
    /// - Parameter fetched: the deliveries that are fetched with it and handed over before it.
    init?(
        _ delivery: Delivery, after earlier: [Delivery], fetching fetched: [Delivery] = [], track: CourierTrack,
        dwell: DwellTimes, handOvers: [DeliveryID: HandOver]
    ) {
        guard let courier = delivery.courier else { return nil }
        var carriers: [CourierID: Coordinate] = [:]
        for one in handOvers.isEmpty ? [] : earlier + [delivery] {
            guard let carrier = one.fetchedFrom?.id, carriers[carrier] == nil else { continue }
            carriers[carrier] = handOvers[one.id]?.place
        }
        let doors = earlier.doors(before: delivery)
        var stopsBefore: [Stop] = []
        func stop(at place: Coordinate?) {
            if let place { stopsBefore.append(Stop(place: place, dwellSeconds: dwell.doorSeconds)) }
        }
        for one in doors {
            stop(at: one.fetchedFrom.flatMap { carriers.removeValue(forKey: $0.id) })
            stop(at: one.door)
        }
        stop(at: delivery.fetchedFrom.flatMap { carriers.removeValue(forKey: $0.id) })
        let store = Stop(
            place: delivery.store.location, dwellSeconds: dwell.storeSeconds(delivery.store.id.rawValue))
        let isBeforePickup = delivery.status.courierStatus != nil
        var through = isBeforePickup ? stopsBefore + [store] : stopsBefore
        through += fetched.doors(before: delivery).map { Stop(place: $0.door, dwellSeconds: dwell.doorSeconds) }
        if let next = through.first {
            let dwelt = max(track.dwellSeconds(at: next.place), doors.first?.secondsAtDoor(by: track) ?? 0)
            through[0] = Stop(place: next.place, dwellSeconds: next.dwellSeconds - dwelt)
        }
        self.init(mode: TravelMode(courier.vehicle), through: through, to: delivery.door)
    }
}

extension UpcomingDelivery {
    /// A delivery on the courier's trip, without a position of the courier; nil without a courier.
    ///
    /// - Parameters:
    ///   - live: the courier's live deliveries.
    ///   - handOvers: the hand-overs of deliveries from other couriers.
    init?(
        _ delivery: Delivery, live: [Delivery], utcOffset: Double, dwell: DwellTimes,
        handOvers: [DeliveryID: HandOver]
    ) {
        let stops = StopsAhead(of: delivery, among: live)
        guard
            var route = Route(
                delivery, after: stops.carried, track: CourierTrack(), dwell: dwell, handOvers: handOvers)
        else { return nil }
        route.utcOffset = utcOffset
        self.init(
            route: route, store: delivery.store.location, storeName: delivery.store.id.rawValue,
            courier: delivery.courier?.id.rawValue, placedAt: delivery.placedAt, pickedUpAt: delivery.pickedUpAt,
            promiseStart: delivery.promise.start, storeDwellSeconds: dwell.storeSeconds(delivery.store.id.rawValue),
            items: delivery.itemCount, distinctItems: delivery.items.count)
        guard delivery.status.courierStatus != nil else { return }
        // The store and the delivery's own door are the last two.
        carriedStops = route.stops.dropLast(2).map(\.place)
        // The pickup of goods of another courier was that one's.
        carriedSince = stops.carried.compactMap { handOvers[$0.id]?.since ?? $0.pickedUpAt }.max()
        let starts = Dictionary(stops.fetched.map { (CustomerDoor($0), $0.promise.start) }, uniquingKeysWith: max)
        earlierDoors = stops.fetched.doors(before: delivery).map {
            EarlierDoor(place: $0.door, promiseStart: starts[CustomerDoor($0)] ?? $0.promise.start)
        }
    }
}

/// The door of bags that one customer gets together; others at one address have doors of their own.
private struct CustomerDoor: Hashable {
    let customer: CustomerID
    let stop: TripPlan.DoorStop

    init(_ delivery: Delivery) {
        customer = delivery.customer
        stop = TripPlan.DoorStop(delivery)
    }
}

extension [Delivery] {
    /// The first bag of each door that comes before a delivery's own, in order.
    fileprivate func doors(before delivery: Delivery) -> [Delivery] {
        guard !isEmpty else { return [] }
        let own = CustomerDoor(delivery)
        var known: Set<CustomerDoor> = []
        return prefix { CustomerDoor($0) != own }.filter { known.insert(CustomerDoor($0)).inserted }
    }
}

extension Delivery {
    /// Whether the door is a stop of the courier's trip, with carried goods or with goods to fetch from a store, as
    /// `orders` counts the stops before a delivery.
    var isStop: Bool { isDoorAhead || Stage(self) == .assigned || Stage(self) == .toStore }

    /// The order of a courier's stops by the stops before each, and then by the end of the promise.
    var placeOnTrip: (Int, Date, DeliveryID) { (stopsBefore, promise.end, id) }

    /// Whether the same courier fetches the goods from the same one as in a former version.
    func isFetched(as former: Delivery) -> Bool {
        fetchedFrom?.id == former.fetchedFrom?.id && assignmentEpoch == former.assignmentEpoch
    }

    /// Whether the courier is at the door or could not hand it over: an estimate from before is of no arrival to come.
    var hasReachedDoor: Bool {
        [DeliveryStatus.handedOver(.atDoor), .handedOver(.attempted), .handedOver(.returning)].contains(status)
    }

    /// The order of doors that a courier carries goods to: the one that they are at, then by the stops before.
    fileprivate var placeOnWay: (Int, Int, DeliveryID) { (Stage(self) == .atDoor ? 0 : 1, stopsBefore, id) }

    /// Seconds from the report that the courier is at the door to the newest fix; 0 on the way and without a fix.
    ///
    /// A single fix that is off does not begin the dwell again.
    fileprivate func secondsAtDoor(by track: CourierTrack) -> Double {
        guard Stage(self) == .atDoor, let latest = track.latest else { return 0 }
        return max(0, latest.time.timeIntervalSince(statusSince))
    }

    /// Whether the two newest fixes since the courier was at the door are away from it, though no hand-over is reported:
    /// a single one may be off.
    fileprivate func isLeft(by track: CourierTrack) -> Bool {
        guard secondsAtDoor(by: track) > 0 else { return false }
        let newest = track.believed.suffix(2).filter { $0.time > statusSince }
        return newest.count == 2
            && newest.allSatisfy { $0.place.distance(to: door) > max(CourierTrack.stopRadius, $0.accuracy ?? 0) }
    }
}

extension TravelMode {
    init(_ vehicle: Vehicle) {
        switch vehicle {
        case .bicycle: self = .bicycle
        case .car: self = .car
        }
    }
}

extension MilestoneDetector {
    /// The detector in the state that `orders` has received, from its snapshot: other milestones are reported, again if
    /// need be.
    init(_ delivery: Delivery) { self.init(DeliveryRevision(delivery)) }

    /// The detector by the delivery's revision.
    init(_ delivery: DeliveryRevision) {
        let reached: Set<Milestone> =
            switch delivery.status {
            case .preparing(_, .unassigned), .preparing(_, .assigned): []
            case .preparing(_, .toStore), .preparing(_, .atStore), .handedOver(.pickedUp): [.nearStore]
            case .handedOver(.enRoute): [.nearStore, .leftStore]
            case .handedOver(.arriving): [.nearStore, .leftStore, .arriving]
            case .handedOver: [.nearStore, .leftStore, .arriving, .atDoor]
            }
        self.init(
            reached: reached, isSilent: delivery.flags.contains(.courierSilent),
            isLate: delivery.flags.contains(.delayed))
    }

    /// The detected milestones that the snapshot of `orders` lacks.
    func unreported(to delivery: DeliveryRevision) -> [Milestone] {
        let received = MilestoneDetector(delivery)
        guard Stage(delivery) != nil else { return [] }
        var milestones = reached.subtracting(received.reached).sorted { $0.order < $1.order }
        if isSilent != received.isSilent { milestones.append(isSilent ? .silent : .reporting) }
        if isLate != received.isLate { milestones.append(isLate ? .late : .onTime) }
        return milestones
    }
}

extension Milestone {
    /// Whether a fix shows it: it happened at the time of the fix, not of the update.
    var isShownByFix: Bool {
        switch self {
        case .nearStore, .leftStore, .arriving, .atDoor, .standing, .moving: true
        case .silent, .reporting, .late, .onTime: false
        }
    }

    /// Whether a card shows it at once; a stop is shown only after ``TrackingState/standingSince`` is set.
    var isForScreens: Bool {
        switch self {
        case .standing, .moving: false
        case .nearStore, .leftStore, .arriving, .atDoor, .silent, .reporting, .late, .onTime: true
        }
    }

    fileprivate var order: Int { Milestone.allCases.firstIndex(of: self) ?? 0 }
}

extension Store {
    /// Seconds by which the store's clock is ahead of UTC; 0 for an unknown time zone.
    func secondsFromUTC(at now: Date) -> Double {
        Double(TimeZone(identifier: timeZone)?.secondsFromGMT(for: now) ?? 0)
    }
}
