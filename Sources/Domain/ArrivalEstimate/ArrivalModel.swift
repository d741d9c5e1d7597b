public import Foundation

/// Everything that was learned about how couriers travel: a prior, and a regression on live progress.
///
/// It is a file or a row: JSON with a format number, so that a service never reads what it does not understand.
public struct ArrivalModel: Hashable, Sendable {
    /// Rises when the meaning of the numbers changes.
    ///
    /// A new feature is no such change: a model names those that it asks for, so one from before is read as it was,
    /// and a program from before refuses what it cannot see.
    public static let format = 1

    /// Rides that it was fitted on.
    public let rides: Int
    let prior: TravelPrior
    let regression: QuantileRegression
    /// First promises, where there was something to learn them from.
    let ways: WayModel?
    /// From an order to its door; nil where nothing was learned about that.
    public let orders: OrderModel?
    /// How long roads and stays usually are; the constants in a model that does not say.
    public let detours: DetourFactor
    public let stays: StopStays

    init(
        rides: Int, prior: TravelPrior, regression: QuantileRegression, ways: WayModel? = nil,
        orders: OrderModel? = nil, detours: DetourFactor = .builtIn, stays: StopStays = .builtIn
    ) {
        self.rides = rides
        self.prior = prior
        self.regression = regression
        self.ways = ways
        self.orders = orders
        self.detours = detours
        self.stays = stays
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
        case .unsound: "the model asks for what there is not, or says what is no number: train it anew"
        }
    }
}

extension ArrivalModel: Codable {
    private enum CodingKeys: CodingKey { case format, features, rides, prior, regression, ways, orders, detours, stays }

    /// - Throws: an `ArrivalModelError` for another format or numbers that make no sense.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let format = try values.decode(Int.self, forKey: .format)
        guard format == Self.format else { throw ArrivalModelError.unknownFormat(format) }
        let asked = try values.decode([String].self, forKey: .features)
        let features = asked.compactMap { Progress.names.firstIndex(of: $0) }
        let regression = try values.decode(QuantileRegression.self, forKey: .regression)
        guard features.count == asked.count, regression.isSound(features: features.count) else {
            throw ArrivalModelError.unsound
        }
        self.init(
            rides: try values.decode(Int.self, forKey: .rides),
            prior: try values.decode(TravelPrior.self, forKey: .prior),
            regression: regression.asking(features),
            ways: try values.decodeIfPresent(WayModel.self, forKey: .ways),
            orders: try values.decodeIfPresent(OrderModel.self, forKey: .orders),
            detours: try values.decodeIfPresent(DetourFactor.self, forKey: .detours) ?? .builtIn,
            stays: try values.decodeIfPresent(StopStays.self, forKey: .stays) ?? .builtIn)
        guard ways?.isSound ?? true, orders?.isSound ?? true, detours.isSound, stays.isSound else {
            throw ArrivalModelError.unsound
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.format, forKey: .format)
        try values.encode(Progress.names, forKey: .features)
        try values.encode(rides, forKey: .rides)
        try values.encode(prior, forKey: .prior)
        try values.encode(regression, forKey: .regression)
        try values.encodeIfPresent(ways, forKey: .ways)
        try values.encodeIfPresent(orders, forKey: .orders)
        try values.encode(detours, forKey: .detours)
        try values.encode(stays, forKey: .stays)
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

    /// The same model, always in the same bytes.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}

extension ArrivalModel {
    /// How long a way to a door takes, before any fix; without history of such ways, the prior's word for a car.
    public func promise(of way: WayAhead) -> FirstPromise { (ways ?? .builtIn).promise(of: way) }

    /// How long an order takes from its placing to the door.
    public func promise(of order: OrderAhead) -> FirstPromise { (orders ?? .builtIn).promise(of: order) }
}
