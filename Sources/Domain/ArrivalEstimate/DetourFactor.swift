/// How many times its straight line a way by road is long, by way of moving and by length.
public struct DetourFactor: Hashable, Codable, Sendable {
    /// Straight metres below which each band lies; the last goes on without an end.
    static let bands: [Double] = [800, 2_000, 5_000, .infinity]
    /// Factors that no road has: an answer or a model beyond them is wrong.
    static let range = 1.0...5.0

    /// For each band.
    var factors: [TravelMode: [Double]]

    /// Metres by road that a straight line of this length usually takes.
    public func metres(_ mode: TravelMode, straight: Double) -> Double {
        let band = Self.bands.firstIndex { straight < $0 } ?? Self.bands.count - 1
        let known = factors[mode] ?? Self.builtIn.factors[mode]
        return straight * (known.flatMap { $0.indices.contains(band) ? $0[band] : nil } ?? 1.2)
    }

    var isSound: Bool {
        factors.values.allSatisfy { $0.count == Self.bands.count && $0.allSatisfy(Self.range.contains) }
    }
}

extension DetourFactor {
    /// Rides that weigh as much as the belief that a band is like the whole, and the whole like the constants.
    private static let belief = 20.0

    /// Medians of what was ridden over what was straight, drawn to the constants by how few rides there were.
    static func fit(_ rides: [RecordedRide]) -> DetourFactor {
        var fitted = builtIn
        for mode in TravelMode.allCases {
            let ways = rides.filter { $0.mode == mode }.compactMap(\.detour)
            guard !ways.isEmpty else { continue }
            fitted.factors[mode] = bands.indices.map { band in
                let from = band == 0 ? 0 : bands[band - 1]
                let own = ways.filter { $0.straight >= from && $0.straight < bands[band] }
                let guess = builtIn.factors[mode]?[band] ?? 1.2
                let median = own.map { Weighted(value: $0.factor, weight: 1) }.quantile(0.5) ?? guess
                let count = Double(own.count)
                let value = (count * median + belief * guess) / (count + belief)
                return min(max(value, range.lowerBound), range.upperBound).rounded(digits: 4)
            }
        }
        return fitted
    }
}

extension RecordedRide {
    /// Straight metres from its beginning to the door, and how many times that was ridden; nil for hardly any way.
    fileprivate var detour: (straight: Double, factor: Double)? {
        let straight = origin.distance(to: door)
        guard straight >= 200 else { return nil }
        let believed = CourierTrack.believed(fixes.sorted { $0.time < $1.time })
        let places = [origin] + believed.filter { $0.time >= since && $0.time <= arrivedAt }.map(\.place) + [door]
        let metres = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        return (straight, metres / straight)
    }
}
