import Foundation

/// A courier's way from a store to a door, as it is known before it begins.
public struct WayAhead: Hashable, Sendable {
    public var straightMetres: Double
    /// As a router says; nil without one.
    public var roadMetres: Double?
    /// Of the local day, 0 to 24.
    public var hour: Double
    /// 1 is Monday.
    public var weekday: Int
    public var isBusiness: Bool
    /// From the order, and from the courier's arrival at the store, to the pickup; nil where nobody noted it.
    public var secondsSincePlaced: Double?
    public var secondsAtStore: Double?
    public var courier: String?
    /// From store to door; nil where unknown.
    public var store: Place?
    public var door: Place?

    public init(straightMetres: Double, hour: Double, weekday: Int) {
        self.straightMetres = straightMetres
        self.hour = hour
        self.weekday = weekday
        isBusiness = true
    }
}

/// How long a way to a door takes, before any fix: distance, road, hour and courier.
public struct WayModel: Hashable, Codable, Sendable {
    var prior: TravelPrior
    var couriers: ShrunkFactors
    var regression: QuantileRegression

    private static let featureCount = 12
    /// The curve that all ways share.
    private static let mode = TravelMode.car

    public func promise(of way: WayAhead) -> FirstPromise {
        let base = Self.base(of: way, prior: prior)
        return FirstPromise(
            regression.prediction(
                of: Self.features(of: way, base: base, courierLog: couriers.logFactor(way.courier)), base: base))
    }

    var isSound: Bool { regression.isSound(features: Self.featureCount) }

    /// - Parameter ways: each with the seconds that it took.
    public static func fit(_ ways: [(way: WayAhead, seconds: Double)]) throws(TooFewRides) -> WayModel {
        guard ways.count >= ArrivalModel.ridesMin else { throw TooFewRides(count: ways.count) }
        let samples = ways.enumerated().map { index, one in
            PriorSample(
                ride: index, mode: mode, metres: one.way.straightMetres, hour: one.way.hour, seconds: one.seconds,
                weight: 1)
        }
        let names = ways.map { $0.way.courier ?? "" }
        var prior = TravelPrior.fit(samples, couriers: names).prior
        prior.couriers = [:]
        let cases = ways.map { one in
            (name: one.way.courier ?? "", log: log(max(one.seconds, 1) / base(of: one.way, prior: prior)))
        }
        let others = ShrunkFactors.leavingOneOut(cases)
        var groups: [String: Int] = [:]
        var table = TrainingTable()
        for (index, one) in ways.enumerated() {
            let base = base(of: one.way, prior: prior)
            let group = groups[names[index]] ?? groups.count
            groups[names[index]] = group
            table.append(
                features(of: one.way, base: base, courierLog: others[index]), base: base, seconds: one.seconds,
                weight: 1, ride: index, group: group)
        }
        return WayModel(
            prior: prior, couriers: ShrunkFactors(cases.filter { !$0.name.isEmpty }),
            regression: QuantileRegression.fit(table, bands: FirstPromise.bands))
    }

    private static func base(of way: WayAhead, prior: TravelPrior) -> Double {
        max(60, prior.seconds(mode, metres: way.straightMetres) * prior.factor(mode, hour: way.hour))
    }

    private static func features(of way: WayAhead, base: Double, courierLog: Double) -> [Double] {
        let offset = way.store.flatMap { store in way.door.map { store.offset(to: $0) } } ?? (north: 0, east: 0)
        let metres = way.straightMetres
        return [
            log(base), log(metres + 50), log(((way.roadMetres ?? 1.4 * metres) + 300) / (metres + 300)),
            log((way.roadMetres ?? 1.4 * metres) + 300), way.hour, Double(way.weekday), way.isBusiness ? 1 : 0,
            way.secondsSincePlaced ?? -1, way.secondsAtStore ?? -1, courierLog,
            offset.north / (metres + 50), offset.east / (metres + 50),
        ]
    }
}
