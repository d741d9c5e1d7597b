import Foundation
public import OrderDomain

/// A courier's leg from a store to a door, as it is known before it begins.
public struct UpcomingLeg: Hashable, Sendable {
    public var straightMetres: Double
    /// The road distance from a road engine, in metres; nil without one.
    public var roadMetres: Double?
    /// The hour of the local day, 0 to 24.
    public var hour: Double
    /// 1 is Monday.
    public var weekday: Int
    public var isBusiness: Bool
    /// Seconds from the order, and from the courier's arrival at the store, to the pickup; nil where not recorded.
    public var secondsSincePlaced: Double?
    public var secondsAtStore: Double?
    public var courier: String?
    /// The leg's store and door; nil where unknown.
    public var store: Coordinate?
    public var door: Coordinate?

    public init(straightMetres: Double, hour: Double, weekday: Int) {
        self.straightMetres = straightMetres
        self.hour = hour
        self.weekday = weekday
        isBusiness = true
    }
}

/// The duration of a leg to a door, before any fix: by distance, road, hour and courier.
public struct LegModel: Hashable, Codable, Sendable {
    var prior: TravelPrior
    var couriers: ShrunkFactors
    var regression: QuantileRegression

    private static let featureCount = 12
    /// The travel mode whose curve all legs share.
    private static let mode = TravelMode.car

    public func initialEstimate(for leg: UpcomingLeg) -> InitialEstimate {
        let base = Self.base(of: leg, prior: prior)
        return InitialEstimate(
            regression.prediction(
                of: Self.features(of: leg, base: base, courierLog: couriers.logFactor(leg.courier)), base: base))
    }

    var isSound: Bool { regression.isSound(features: Self.featureCount) }

    /// - Parameter legs: each with its actual duration in seconds.
    /// - Throws: ``TooFewRides`` for fewer than ``ArrivalModel/ridesMin`` legs.
    public static func fit(_ legs: [(leg: UpcomingLeg, seconds: Double)]) throws(TooFewRides) -> LegModel {
        guard legs.count >= ArrivalModel.ridesMin else { throw TooFewRides(count: legs.count) }
        let samples = legs.enumerated().map { index, one in
            PriorSample(
                ride: index, mode: mode, metres: one.leg.straightMetres, hour: one.leg.hour, seconds: one.seconds,
                weight: 1)
        }
        let names = legs.map { $0.leg.courier ?? "" }
        var prior = TravelPrior.fit(samples, couriers: names).prior
        prior.couriers = [:]
        let cases = legs.map { one in
            (name: one.leg.courier ?? "", log: log(max(one.seconds, 1) / base(of: one.leg, prior: prior)))
        }
        let others = ShrunkFactors.leavingOneOut(cases)
        var groups: [String: Int] = [:]
        var table = TrainingTable()
        for (index, one) in legs.enumerated() {
            let base = base(of: one.leg, prior: prior)
            let group = groups[names[index]] ?? groups.count
            groups[names[index]] = group
            table.append(
                features(of: one.leg, base: base, courierLog: others[index]), base: base, seconds: one.seconds,
                weight: 1, ride: index, group: group)
        }
        return LegModel(
            prior: prior, couriers: ShrunkFactors(cases.filter { !$0.name.isEmpty }),
            regression: QuantileRegression.fit(table, bands: InitialEstimate.bands))
    }

    private static func base(of leg: UpcomingLeg, prior: TravelPrior) -> Double {
        max(60, prior.seconds(mode, metres: leg.straightMetres) * prior.factor(mode, hour: leg.hour))
    }

    private static func features(of leg: UpcomingLeg, base: Double, courierLog: Double) -> [Double] {
        let offset = leg.store.flatMap { store in leg.door.map { store.offset(to: $0) } } ?? (north: 0, east: 0)
        let metres = leg.straightMetres
        return [
            log(base), log(metres + 50), log(((leg.roadMetres ?? 1.4 * metres) + 300) / (metres + 300)),
            log((leg.roadMetres ?? 1.4 * metres) + 300), leg.hour, Double(leg.weekday), leg.isBusiness ? 1 : 0,
            leg.secondsSincePlaced ?? -1, leg.secondsAtStore ?? -1, courierLog,
            offset.north / (metres + 50), offset.east / (metres + 50),
        ]
    }
}
