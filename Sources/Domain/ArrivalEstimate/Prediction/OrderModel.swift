import Foundation

/// An order at a store, as it is known when it is placed.
public struct UpcomingOrder: Hashable, Sendable {
    public var store: String
    /// The hour of the day, 0 to 24, in the same time zone for all orders.
    public var hour: Double
    /// 1 is Monday.
    public var weekday: Int
    /// The shop's expected seconds until the store has the order, and for the drive; nil where unknown.
    public var placeSeconds: Double?
    public var driveSeconds: Double?
    /// The basket.
    public var items: Double?
    public var distinctItems: Double?
    public var subtotal: Double?
    /// Couriers on shift, the busy ones, and waiting orders; nil where unknown.
    public var couriers: Double?
    public var busyCouriers: Double?
    public var waitingOrders: Double?
    /// Town or region, and the store's order channel: categories as numbers.
    public var market: Double?
    public var intake: Double?

    public init(store: String, hour: Double, weekday: Int) {
        self.store = store
        self.hour = hour
        self.weekday = weekday
    }
}

/// The duration of an order from placing to the door: the shop's own figures, store, hour, load and basket.
public struct OrderModel: Hashable, Codable, Sendable {
    /// Medians that replace missing figures, and the remainder that the shop's figures leave out.
    var placeSeconds: Double
    var driveSeconds: Double
    var slackSeconds: Double
    var stores: ShrunkFactors
    var regression: QuantileRegression

    private static let featureCount = 18

    public func initialEstimate(for order: UpcomingOrder) -> InitialEstimate {
        let base = base(of: order)
        return InitialEstimate(
            regression.prediction(
                of: Self.features(of: order, base: base, storeLog: stores.logFactor(order.store)), base: base))
    }

    var isSound: Bool { regression.isSound(features: Self.featureCount) }

    /// - Parameter orders: each with its actual duration in seconds.
    /// - Throws: ``TooFewRides`` for fewer than ``ArrivalModel/ridesMin`` orders.
    public static func fit(_ orders: [(order: UpcomingOrder, seconds: Double)]) throws(TooFewRides) -> OrderModel {
        guard orders.count >= ArrivalModel.ridesMin else { throw TooFewRides(count: orders.count) }
        func median(_ values: [Double]) -> Double { values.map { Weighted(value: $0, weight: 1) }.quantile(0.5) ?? 0 }
        var model = OrderModel(
            placeSeconds: median(orders.compactMap(\.order.placeSeconds)),
            driveSeconds: median(orders.compactMap(\.order.driveSeconds)), slackSeconds: 0, stores: ShrunkFactors([]),
            regression: .constant)
        model.slackSeconds = median(orders.map { $0.seconds - model.base(of: $0.order) })
        let cases = orders.map { one in
            (name: one.order.store, log: log(max(one.seconds, 1) / model.base(of: one.order)))
        }
        let others = ShrunkFactors.leavingOneOut(cases)
        var groups: [String: Int] = [:]
        var table = TrainingTable()
        for (index, one) in orders.enumerated() {
            let base = model.base(of: one.order)
            let group = groups[one.order.store] ?? groups.count
            groups[one.order.store] = group
            table.append(
                features(of: one.order, base: base, storeLog: others[index]), base: base, seconds: one.seconds,
                weight: 1, ride: index, group: group)
        }
        model.stores = ShrunkFactors(cases)
        model.regression = QuantileRegression.fit(table, bands: InitialEstimate.bands)
        return model
    }

    private func base(of order: UpcomingOrder) -> Double {
        max(120, (order.placeSeconds ?? placeSeconds) + (order.driveSeconds ?? driveSeconds) + slackSeconds)
    }

    private static func features(of order: UpcomingOrder, base: Double, storeLog: Double) -> [Double] {
        func known(_ value: Double?) -> Double { value ?? -1 }
        func share(_ one: Double?, _ other: Double?) -> Double {
            guard let one, let other else { return -1 }
            return one / (other + 5)
        }
        let items = order.items.flatMap { items in order.subtotal.map { $0 / max(items, 1) } }
        return [
            log(base), known(order.placeSeconds), known(order.driveSeconds), order.hour, Double(order.weekday),
            storeLog, known(order.items), known(order.distinctItems), known(order.subtotal), known(items),
            known(order.couriers), known(order.busyCouriers), known(order.waitingOrders),
            share(order.busyCouriers, order.couriers), share(order.waitingOrders, order.couriers),
            share(order.waitingOrders, order.busyCouriers), known(order.market), known(order.intake),
        ]
    }
}
