import OrderDomain

/// Ratio of the distance by road to the straight line, by travel mode and by length.
public struct DetourFactor: Hashable, Codable, Sendable {
    /// Upper bounds of the bands in straight metres; the last is unbounded.
    static let bands: [Double] = [800, 2_000, 5_000, .infinity]
    /// Plausible factors: a road answer or a model outside of them is wrong.
    static let range = 1.0...5.0

    /// The factors by distance band.
    var factors: [TravelMode: [Double]]

    /// The usual distance by road in metres for a straight line of this length.
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
    /// Prior strength of the constants, in rides.
    private static let priorRides = 20.0

    /// Medians of ridden over straight distance, shrunk towards the constants where rides are few.
    static func fit(_ rides: [RecordedRide]) -> DetourFactor {
        var fitted = builtIn
        for mode in TravelMode.allCases {
            let detours = rides.filter { $0.mode == mode }.compactMap(\.detour)
            guard !detours.isEmpty else { continue }
            fitted.factors[mode] = bands.indices.map { band in
                let from = band == 0 ? 0 : bands[band - 1]
                let own = detours.filter { $0.straight >= from && $0.straight < bands[band] }
                let guess = builtIn.factors[mode]?[band] ?? 1.2
                let median = own.map { Weighted(value: $0.factor, weight: 1) }.quantile(0.5) ?? guess
                let count = Double(own.count)
                let value = (count * median + priorRides * guess) / (count + priorRides)
                return min(max(value, range.lowerBound), range.upperBound).rounded(digits: 4)
            }
        }
        return fitted
    }
}

extension RecordedRide {
    /// Straight metres from its beginning to the door, and how many times that was ridden; nil below 200 m.
    fileprivate var detour: (straight: Double, factor: Double)? {
        let straight = origin.distance(to: door)
        guard straight >= 200 else { return nil }
        let believed = CourierTrack.believed(fixes.sorted { $0.time < $1.time })
        let places = [origin] + believed.filter { $0.time >= since && $0.time <= arrivedAt }.map(\.place) + [door]
        let metres = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        return (straight, metres / straight)
    }
}
