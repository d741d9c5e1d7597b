public import Foundation
public import OrderDomain

/// A delivery as it is known before the first fix of its courier.
public struct UpcomingDelivery: Hashable, Sendable {
    /// The remaining route; before pickup it leads through the store.
    public var route: Route
    public var store: Coordinate
    /// The store's and the courier's ids, as models know them.
    public var storeName: String
    public var courier: String?
    public var placedAt: Date
    /// Nil while the goods are in the store.
    public var pickedUpAt: Date?
    /// When the promised window begins: goods that are ready earlier wait for it.
    public var promiseStart: Date
    public var storeDwellSeconds: Double
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

extension ArrivalEstimator {
    /// When it arrives, before any fix: by the models of legs and orders where there are any, else by the prior.
    ///
    /// - Parameter since: when the present leg began.
    public func initialEstimate(for delivery: UpcomingDelivery, since: Date, now: Date) -> Estimate? {
        if delivery.pickedUpAt == nil { return beforePickup(delivery, now: now) }
        guard let legs = model.legs else {
            var route = delivery.route
            route.origin = delivery.store
            return estimate(CourierTrack(), along: route, since: since, now: now)
        }
        let leg = delivery.leg(to: delivery.route.next, at: since)
        let remaining = RemainingTime(legs.initialEstimate(for: leg), after: now.timeIntervalSince(since))
        let tail = tailSeconds(of: delivery.route, now: now)
        return remaining.arrival(
            after: tail, low: tail * Self.tailLow, high: tail * Self.tailHigh, now: now)
    }

    /// The latest of: the dwell at the store and the leg, the beginning of the promise, and the order model's estimate
    /// where there is an order model.
    private func beforePickup(_ delivery: UpcomingDelivery, now: Date) -> Estimate? {
        guard let door = delivery.route.stops.last?.place else { return nil }
        let leg =
            model.legs?.initialEstimate(for: delivery.leg(to: door, at: now))
            ?? delivery.usualLeg(to: door, by: model, at: now)
        let fetched = RemainingTime(leg, after: -delivery.storeDwellSeconds)
        guard let orders = model.orders else { return fetched.waiting(for: delivery.promiseStart, now: now) }
        let whole = RemainingTime(
            orders.initialEstimate(for: delivery.order), after: now.timeIntervalSince(delivery.placedAt))
        return whole.notBefore(fetched).waiting(for: delivery.promiseStart, now: now)
    }
}

extension UpcomingDelivery {
    fileprivate func leg(to door: Coordinate, at departure: Date) -> UpcomingLeg {
        var leg = UpcomingLeg(
            straightMetres: store.distance(to: door), hour: route.hour(at: departure),
            weekday: Route.weekday(at: departure, utcOffset: route.utcOffset))
        leg.secondsSincePlaced = max(0, departure.timeIntervalSince(placedAt))
        leg.courier = courier
        leg.store = store
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

    /// - Parameters:
    ///   - seconds: the time between the next stop and the last.
    ///   - low: the seconds by which that time may fall short; `high`: by which it may be exceeded.
    func arrival(after seconds: Double, low lessSeconds: Double, high moreSeconds: Double, now: Date) -> Estimate {
        let whole = point + seconds
        return Estimate(
            arrivesAt: now.addingTimeInterval(whole),
            earliest: now.addingTimeInterval(max(0, whole - hypot(point - low, lessSeconds))),
            latest: now.addingTimeInterval(whole + hypot(high - point, moreSeconds)), madeAt: now)
    }
}
