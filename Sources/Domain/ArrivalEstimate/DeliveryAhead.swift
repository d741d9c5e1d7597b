public import Foundation

/// A delivery as it is known before its courier was heard.
public struct DeliveryAhead: Hashable, Sendable {
    /// What is left of the way; before pickup it leads through the store.
    public var route: Route
    public var store: Place
    /// What histories call the store and the courier.
    public var storeName: String
    public var courier: String?
    public var placedAt: Date
    /// Nil while the goods are in the store.
    public var pickedUpAt: Date?
    /// When the promised window begins: goods that could go earlier wait for it.
    public var promiseStart: Date
    public var storeStaySeconds: Double
    /// Pieces, and kinds of them.
    public var items: Int
    public var distinctItems: Int

    public init(
        route: Route, store: Place, storeName: String, courier: String?, placedAt: Date, pickedUpAt: Date?,
        promiseStart: Date, storeStaySeconds: Double, items: Int, distinctItems: Int
    ) {
        self.route = route
        self.store = store
        self.storeName = storeName
        self.courier = courier
        self.placedAt = placedAt
        self.pickedUpAt = pickedUpAt
        self.promiseStart = promiseStart
        self.storeStaySeconds = storeStaySeconds
        self.items = items
        self.distinctItems = distinctItems
    }
}

extension ArrivalEstimator {
    /// When it arrives, before any fix: by what was learned of such ways and orders, else by the prior.
    ///
    /// - Parameter since: when the present part of the way began.
    public func firstEstimate(of ahead: DeliveryAhead, since: Date, now: Date) -> ArrivalEstimate? {
        if ahead.pickedUpAt == nil { return beforePickup(ahead, now: now) }
        guard let ways = model.ways else {
            var route = ahead.route
            route.origin = ahead.store
            return estimate(CourierTrack(), along: route, since: since, now: now)
        }
        let way = ahead.way(to: ahead.route.next, at: since)
        let left = Left(ways.promise(of: way), after: now.timeIntervalSince(since))
        let tail = tailSeconds(of: ahead.route, now: now)
        return left.arrival(
            after: tail, low: tail * Self.tailLow, high: tail * Self.tailHigh, now: now)
    }

    /// Not before a courier can have fetched and brought it, not before the shop's promise begins, and else when such
    /// orders arrive, where there is a history of them.
    private func beforePickup(_ ahead: DeliveryAhead, now: Date) -> ArrivalEstimate? {
        guard let door = ahead.route.stops.last?.place else { return nil }
        let way = model.ways?.promise(of: ahead.way(to: door, at: now)) ?? ahead.usualWay(to: door, by: model, at: now)
        let fetched = Left(way, after: -ahead.storeStaySeconds)
        guard let orders = model.orders else { return fetched.waiting(for: ahead.promiseStart, now: now) }
        let whole = Left(orders.promise(of: ahead.order), after: now.timeIntervalSince(ahead.placedAt))
        return whole.notBefore(fetched).waiting(for: ahead.promiseStart, now: now)
    }
}

extension DeliveryAhead {
    fileprivate func way(to door: Place, at departure: Date) -> WayAhead {
        var way = WayAhead(
            straightMetres: store.distance(to: door), hour: route.hour(at: departure),
            weekday: Route.weekday(at: departure, utcOffset: route.utcOffset))
        way.secondsSincePlaced = max(0, departure.timeIntervalSince(placedAt))
        way.courier = courier
        way.store = store
        way.door = door
        return way
    }

    /// By the clock of UTC, which is the same for all stores.
    fileprivate var order: OrderAhead {
        let hour = (placedAt.timeIntervalSince1970 / 3_600).truncatingRemainder(dividingBy: 24)
        var order = OrderAhead(
            store: storeName, hour: hour < 0 ? hour + 24 : hour, weekday: Route.weekday(at: placedAt, utcOffset: 0))
        order.items = Double(items)
        order.distinctItems = Double(distinctItems)
        return order
    }

    /// The prior's word about a way of which there is no history, with a window as wide as that deserves.
    fileprivate func usualWay(to door: Place, by model: ArrivalModel, at now: Date) -> FirstPromise {
        let seconds = model.prior.seconds(route.mode, metres: store.distance(to: door))
        let hour = model.prior.factor(route.mode, hour: route.hour(at: now))
        return FirstPromise(QuantileRegression.constant.prediction(of: [], base: max(60, seconds * hour)))
    }
}

/// Seconds to go from now, of a promise that was made a while ago.
private struct Left {
    var point: Double
    var low: Double
    var high: Double

    /// What is left at least of a way that has taken longer than was expected: a share of it, and a minute.
    private static let overdueShare = 0.1
    private static let overdueSeconds = 60.0

    init(_ promise: FirstPromise, after elapsed: Double) {
        let least = max(Self.overdueSeconds, promise.seconds * Self.overdueShare)
        point = max(promise.seconds - elapsed, least)
        low = min(max(0, promise.low - elapsed), point)
        high = max(promise.high - elapsed, 2 * point, least)
    }

    func notBefore(_ other: Left) -> Left {
        var later = self
        later.point = max(point, other.point)
        later.low = max(low, other.low)
        later.high = max(high, other.high)
        return later
    }

    /// The same, moved to the beginning of the promise where it lies before it.
    func waiting(for start: Date, now: Date) -> ArrivalEstimate {
        arrival(after: max(0, start.timeIntervalSince(now) - point), low: 0, high: 0, now: now)
    }

    /// - Parameters:
    ///   - seconds: what comes after it.
    ///   - low: by how much less, and by `high` how much more, that may be.
    func arrival(after seconds: Double, low lessSeconds: Double, high moreSeconds: Double, now: Date) -> ArrivalEstimate
    {
        let whole = point + seconds
        return ArrivalEstimate(
            arrivesAt: now.addingTimeInterval(whole),
            earliest: now.addingTimeInterval(max(0, whole - hypot(point - low, lessSeconds))),
            latest: now.addingTimeInterval(whole + hypot(high - point, moreSeconds)), madeAt: now)
    }
}
