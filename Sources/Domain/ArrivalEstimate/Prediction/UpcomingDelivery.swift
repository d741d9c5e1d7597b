public import Foundation
public import OrderDomain

/// A delivery as it is known before the first fix of its courier.
public struct UpcomingDelivery: Hashable, Sendable {
    /// The remaining route; before pickup it leads through the store.
    public var route: Route
    public var store: Coordinate
    /// The door that the courier left last since the pickup; nil where they come from the store.
    public var origin: Coordinate?
    /// The store's and the courier's ids, as models know them.
    public var storeName: String
    public var courier: String?
    public var placedAt: Date
    /// Nil while the goods are in the store.
    public var pickedUpAt: Date?
    /// When the promised window begins: goods that are ready earlier wait for it.
    public var promiseStart: Date
    public var storeDwellSeconds: Double
    /// The doors of other deliveries that the courier carries now, and the places where other couriers have goods of
    /// them; the courier returns to the store after the last.
    public var carriedStops: [Coordinate] = []
    /// When the courier left the store with them; nil without any.
    public var carriedSince: Date?
    /// The doors between the store and the delivery's own, of deliveries that the courier fetches on the same trip.
    public var earlierDoors: [EarlierDoor] = []
    /// Pieces, and distinct items among them.
    public var items: Int
    public var distinctItems: Int

    public init(
        route: Route, store: Coordinate, storeName: String, courier: String?, placedAt: Date, pickedUpAt: Date?,
        promiseStart: Date, storeDwellSeconds: Double, items: Int, distinctItems: Int
    ) {
        self.route = route
        self.store = store
        self.storeName = storeName
        self.courier = courier
        self.placedAt = placedAt
        self.pickedUpAt = pickedUpAt
        self.promiseStart = promiseStart
        self.storeDwellSeconds = storeDwellSeconds
        self.items = items
        self.distinctItems = distinctItems
    }
}

/// A door at which the courier hands over another delivery before the estimated one.
public struct EarlierDoor: Hashable, Sendable {
    public var place: Coordinate
    /// When its promised window begins; the courier waits for it.
    public var promiseStart: Date

    public init(place: Coordinate, promiseStart: Date) {
        self.place = place
        self.promiseStart = promiseStart
    }
}

extension ArrivalEstimator {
    /// When it arrives, before any fix: by the models of legs and orders where there are any, else by the prior.
    ///
    /// - Parameter since: when the courier left the store, or the delivery's ``UpcomingDelivery/origin``.
    public func initialEstimate(for delivery: UpcomingDelivery, since: Date, now: Date) -> Estimate? {
        if delivery.pickedUpAt == nil { return beforePickup(delivery, now: now) }
        let origin = delivery.origin ?? delivery.store
        guard let legs = model.legs else {
            var route = delivery.route
            route.origin = origin
            return estimate(CourierTrack(), along: route, since: since, now: now)
        }
        let leg = delivery.leg(from: origin, to: delivery.route.next, at: since)
        let remaining = RemainingTime(legs.initialEstimate(for: leg), after: now.timeIntervalSince(since))
        let tail = tailSeconds(of: delivery.route, now: now)
        return remaining.arrival(
            after: tail, low: tail * Self.tailLow, high: tail * Self.tailHigh, now: now)
    }

    /// The latest of: the trip to the door, the beginning of the promise, and the order model's estimate where there is
    /// an order model.
    ///
    /// The trip is the doors that the courier carries for, the dwell at the store, the leg to the first door from there,
    /// and the rides between doors. At each door after the store the courier waits for its promise to begin.
    private func beforePickup(_ delivery: UpcomingDelivery, now: Date) -> Estimate? {
        guard let door = delivery.route.stops.last?.place else { return nil }
        let first = delivery.earlierDoors.first?.place ?? door
        let leg =
            model.legs?.initialEstimate(for: delivery.leg(from: delivery.store, to: first, at: now))
            ?? delivery.usualLeg(to: first, by: model, at: now)
        let fetched = RemainingTime(leg, after: -delivery.storeDwellSeconds - returnSeconds(of: delivery, now: now))
        let trip = trip(of: delivery, to: door, after: fetched, now: now)
        guard let orders = model.orders else { return trip.waiting(for: delivery.promiseStart, now: now) }
        let whole = RemainingTime(
            orders.initialEstimate(for: delivery.order), after: now.timeIntervalSince(delivery.placedAt))
        return whole.notBefore(trip).waiting(for: delivery.promiseStart, now: now)
    }

    /// Seconds until the courier is back at the store from the stops of what they carry; 0 for a courier without any.
    private func returnSeconds(of delivery: UpcomingDelivery, now: Date) -> Double {
        guard let since = delivery.carriedSince, !delivery.carriedStops.isEmpty else { return 0 }
        let stops = delivery.carriedStops.map { Route.Stop(place: $0, dwellSeconds: model.dwell.doorSeconds) }
        var round = Route(
            mode: delivery.route.mode, through: [Route.Stop(place: delivery.store, dwellSeconds: 0)] + stops,
            to: delivery.store)
        round.utcOffset = delivery.route.utcOffset
        return max(0, tailSeconds(of: round, now: now) - now.timeIntervalSince(since))
    }

    /// The time to the delivery's own door through the earlier ones.
    ///
    /// - Parameter first: the time to the first door of the trip.
    private func trip(
        of delivery: UpcomingDelivery, to door: Coordinate, after first: RemainingTime, now: Date
    ) -> RemainingTime {
        var waits = 0.0
        var rides = 0.0
        for (index, earlier) in delivery.earlierDoors.enumerated() {
            let arrival = first.point + waits + rides
            waits += max(0, earlier.promiseStart.timeIntervalSince(now) - arrival)
            let next = index + 1 < delivery.earlierDoors.count ? delivery.earlierDoors[index + 1].place : door
            rides += seconds(
                from: Route.Stop(place: earlier.place, dwellSeconds: model.dwell.doorSeconds), to: next,
                along: delivery.route, now: now)
        }
        return first.delayed(by: waits + rides, low: rides * Self.tailLow, high: rides * Self.tailHigh)
    }
}

extension UpcomingDelivery {
    fileprivate func leg(from origin: Coordinate, to door: Coordinate, at departure: Date) -> UpcomingLeg {
        var leg = UpcomingLeg(
            straightMetres: origin.distance(to: door), hour: route.hour(at: departure),
            weekday: Route.weekday(at: departure, utcOffset: route.utcOffset))
        leg.secondsSincePlaced = max(0, departure.timeIntervalSince(placedAt))
        leg.courier = courier
        leg.store = origin
        leg.door = door
        return leg
    }

    /// The delivery as an order, with UTC hours, which are the same for all stores.
    fileprivate var order: UpcomingOrder {
        let hour = (placedAt.timeIntervalSince1970 / 3_600).truncatingRemainder(dividingBy: 24)
        var order = UpcomingOrder(
            store: storeName, hour: hour < 0 ? hour + 24 : hour, weekday: Route.weekday(at: placedAt, utcOffset: 0))
        order.items = Double(items)
        order.distinctItems = Double(distinctItems)
        return order
    }

    /// The leg by the prior alone, with the window of an untrained regression.
    fileprivate func usualLeg(to door: Coordinate, by model: ArrivalModel, at now: Date) -> InitialEstimate {
        let seconds = model.prior.seconds(route.mode, metres: store.distance(to: door))
        let hour = model.prior.factor(route.mode, hour: route.hour(at: now))
        return InitialEstimate(QuantileRegression.constant.prediction(of: [], base: max(60, seconds * hour)))
    }
}

/// The rest of an initial estimate from now, in seconds, for a leg in progress.
private struct RemainingTime {
    var point: Double
    var low: Double
    var high: Double

    /// Lower bound of an overdue estimate: a share of it, and a minute.
    private static let overdueShare = 0.1
    private static let overdueSeconds = 60.0

    init(_ estimate: InitialEstimate, after elapsed: Double) {
        let least = max(Self.overdueSeconds, estimate.seconds * Self.overdueShare)
        point = max(estimate.seconds - elapsed, least)
        low = min(max(0, estimate.low - elapsed), point)
        high = max(estimate.high - elapsed, 2 * point, least)
    }

    func notBefore(_ other: RemainingTime) -> RemainingTime {
        var later = self
        later.point = max(point, other.point)
        later.low = max(low, other.low)
        later.high = max(high, other.high)
        return later
    }

    /// The arrival, but not before the beginning of the promise.
    func waiting(for start: Date, now: Date) -> Estimate {
        arrival(after: max(0, start.timeIntervalSince(now) - point), low: 0, high: 0, now: now)
    }

    /// The time to a later stop.
    ///
    /// - Parameters:
    ///   - seconds: the time between the next stop and the last.
    ///   - low: the seconds by which that time may fall short; `high`: by which it may be exceeded.
    func delayed(by seconds: Double, low lessSeconds: Double, high moreSeconds: Double) -> RemainingTime {
        var later = self
        later.point = point + seconds
        later.low = max(0, later.point - hypot(point - low, lessSeconds))
        later.high = later.point + hypot(high - point, moreSeconds)
        return later
    }

    /// The arrival at a later stop, with the parameters of ``delayed(by:low:high:)``.
    func arrival(after seconds: Double, low lessSeconds: Double, high moreSeconds: Double, now: Date) -> Estimate {
        let whole = delayed(by: seconds, low: lessSeconds, high: moreSeconds)
        return Estimate(
            arrivesAt: now.addingTimeInterval(whole.point), earliest: now.addingTimeInterval(whole.low),
            latest: now.addingTimeInterval(whole.high), madeAt: now)
    }
}
