public import Foundation

/// The trained model of couriers' travel times: a prior, and a regression on live features of a leg.
///
/// The model is stored as JSON with a format number, so that a service never reads an unknown format.
public struct ArrivalModel: Hashable, Sendable {
    /// Rises when the meaning of the numbers changes.
    ///
    /// A new feature is no such change: a model names the features that it uses, so an older model is read as it was,
    /// and an older program refuses a model with a feature that it does not have.
    public static let format = 1

    /// Rides that it was fitted on.
    public let rides: Int
    let prior: TravelPrior
    let regression: QuantileRegression
    /// Initial estimates of legs; nil where it was not trained on any.
    let legs: LegModel?
    /// Initial estimates of orders; nil where it was not trained on any.
    public let orders: OrderModel?
    /// Usual detours and dwell times; the constants in a model without them.
    public let detours: DetourFactor
    public let dwell: DwellTimes

    init(
        rides: Int, prior: TravelPrior, regression: QuantileRegression, legs: LegModel? = nil,
        orders: OrderModel? = nil, detours: DetourFactor = .builtIn, dwell: DwellTimes = .builtIn
    ) {
        self.rides = rides
        self.prior = prior
        self.regression = regression
        self.legs = legs
        self.orders = orders
        self.detours = detours
        self.dwell = dwell
    }
}

/// Why a model cannot be used.
public enum ArrivalModelError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownFormat(Int)
    case unreadable(String)
    case unsound

    public var description: String {
        switch self {
        case .unknownFormat(let format):
            "the model has format \(format) and this program reads format \(ArrivalModel.format): train it anew"
        case .unreadable(let why): "the model cannot be read (\(why)): train it anew"
        case .unsound: "the model uses unknown features, or its numbers make no sense: train it anew"
        }
    }
}

extension ArrivalModel: Codable {
    /// The keys of the stored format, which is older than some of the names.
    private enum CodingKeys: String, CodingKey {
        case format, features, rides, prior, regression, orders, detours
        case legs = "ways"
        case dwell = "stays"
    }

    /// - Throws: an `ArrivalModelError` for another format or numbers that make no sense.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let format = try values.decode(Int.self, forKey: .format)
        guard format == Self.format else { throw ArrivalModelError.unknownFormat(format) }
        let used = try values.decode([String].self, forKey: .features)
        let features = used.compactMap { LegFeatures.names.firstIndex(of: $0) }
        let regression = try values.decode(QuantileRegression.self, forKey: .regression)
        guard features.count == used.count, regression.isSound(features: features.count) else {
            throw ArrivalModelError.unsound
        }
        self.init(
            rides: try values.decode(Int.self, forKey: .rides),
            prior: try values.decode(TravelPrior.self, forKey: .prior),
            regression: regression.mappingFeatures(features),
            legs: try values.decodeIfPresent(LegModel.self, forKey: .legs),
            orders: try values.decodeIfPresent(OrderModel.self, forKey: .orders),
            detours: try values.decodeIfPresent(DetourFactor.self, forKey: .detours) ?? .builtIn,
            dwell: try values.decodeIfPresent(DwellTimes.self, forKey: .dwell) ?? .builtIn)
        guard legs?.isSound ?? true, orders?.isSound ?? true, detours.isSound, dwell.isSound else {
            throw ArrivalModelError.unsound
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.format, forKey: .format)
        try values.encode(LegFeatures.names, forKey: .features)
        try values.encode(rides, forKey: .rides)
        try values.encode(prior, forKey: .prior)
        try values.encode(regression, forKey: .regression)
        try values.encodeIfPresent(legs, forKey: .legs)
        try values.encodeIfPresent(orders, forKey: .orders)
        try values.encode(detours, forKey: .detours)
        try values.encode(dwell, forKey: .dwell)
    }

    /// The model in a file or a column.
    ///
    /// - Throws: an `ArrivalModelError`.
    public init(json data: Data) throws(ArrivalModelError) {
        do {
            self = try JSONDecoder().decode(ArrivalModel.self, from: data)
        } catch let error as ArrivalModelError {
            throw error
        } catch {
            throw .unreadable(String(describing: error))
        }
    }

    /// The model as JSON; equal models give equal bytes.
    ///
    /// - Throws: `EncodingError` for a model with infinite numbers.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}

extension ArrivalModel {
    /// The duration of a leg to a door, before any fix; without a model of legs, by the prior for a car.
    public func initialEstimate(for leg: UpcomingLeg) -> InitialEstimate {
        (legs ?? .builtIn).initialEstimate(for: leg)
    }

    /// The duration of an order from its placing to the door.
    public func initialEstimate(for order: UpcomingOrder) -> InitialEstimate {
        (orders ?? .builtIn).initialEstimate(for: order)
    }
}
