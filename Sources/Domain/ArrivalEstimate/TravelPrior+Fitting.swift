import Foundation

/// One moment of a ride whose end is known.
struct PriorSample {
    let ride: Int
    let mode: TravelMode
    let metres: Double
    /// Of the local day.
    let hour: Double
    /// To go, from then.
    let seconds: Double
    let weight: Double
}

extension TravelPrior {
    /// Rides that weigh as much as the belief that an hour, a courier or a length is no different.
    private static let hourBelief = 12.0
    private static let courierBelief = 20.0
    private static let curveBelief = 5.0
    /// Moments below which a way of moving keeps the constants.
    private static let samplesMin = 200

    /// Fits curves, hours and couriers.
    ///
    /// - Parameter couriers: of each ride.
    /// - Returns: with it each ride's log ratio, so that a courier's factor can leave the ride itself out.
    static func fit(_ samples: [PriorSample], couriers: [String]) -> (prior: TravelPrior, rideLogs: [Double]) {
        var prior = TravelPrior()
        var rideLogs = [Double](repeating: 0, count: couriers.count)
        for mode in TravelMode.allCases {
            let own = samples.filter { $0.mode == mode }
            guard own.count >= samplesMin else { continue }
            prior.curves[mode] = curve(own, mode)
            prior.hours[mode] = hours(own) { prior.seconds(mode, metres: $0.metres) }
            var ratios: [Int: [Weighted]] = [:]
            for sample in own {
                let expected = prior.seconds(mode, metres: sample.metres) * prior.factor(mode, hour: sample.hour)
                ratios[sample.ride, default: []].append(ratio(of: sample, to: expected))
            }
            for (ride, ratios) in ratios { rideLogs[ride] = logMedian(ratios) }
        }
        var logs: [String: [Double]] = [:]
        for (ride, courier) in couriers.enumerated() { logs[courier, default: []].append(rideLogs[ride]) }
        prior.couriers = logs.mapValues { courierFactor($0) }
        return (prior, rideLogs)
    }

    /// The factor of a courier with these rides, drawn to 1 by how few they are.
    static func courierFactor(_ rideLogs: [Double]) -> Double {
        exp(rideLogs.reduce(0, +) / (Double(rideLogs.count) + courierBelief))
    }

    private static func curve(_ samples: [PriorSample], _ mode: TravelMode) -> [Double] {
        let pace = 1 / (speeds[mode] ?? 4)
        var curve: [Double] = []
        for (index, knot) in knots.enumerated() {
            let low = index == 0 ? 0 : (knots[index - 1] + knot) / 2
            let high = index + 1 == knots.count ? .infinity : (knot + knots[index + 1]) / 2
            let near = samples.filter { $0.metres >= low && $0.metres < high }
            let rides = Double(Set(near.map(\.ride)).count)
            // Each moment is moved to the knot at a typical pace.
            let moved = near.map { Weighted(value: $0.seconds + (knot - $0.metres) * pace, weight: $0.weight) }
            let guess = curve.last.map { $0 + (knot - knots[index - 1]) * pace } ?? 30
            let median = moved.quantile(0.5) ?? guess
            let value = (rides * median + curveBelief * guess) / (rides + curveBelief)
            // A longer way never takes less.
            curve.append(max(value, (curve.last ?? 0) + 1))
        }
        return curve
    }

    private static func hours(_ samples: [PriorSample], expected: (PriorSample) -> Double) -> [Double] {
        var byHour = [[PriorSample]](repeating: [], count: 24)
        for sample in samples { byHour[Int(sample.hour) % 24].append(sample) }
        return (0..<24).map { hour in
            let near = [23, 0, 1].flatMap { byHour[(hour + $0) % 24] }
            let rides = Double(Set(near.map(\.ride)).count)
            return exp(logMedian(near.map { ratio(of: $0, to: expected($0)) }) * rides / (rides + hourBelief))
        }
    }

    /// True over expected, counting by the seconds at stake.
    private static func ratio(of sample: PriorSample, to expected: Double) -> Weighted {
        Weighted(value: sample.seconds / max(expected, 1), weight: sample.weight * expected)
    }

    private static func logMedian(_ ratios: [Weighted]) -> Double {
        log(min(max(ratios.quantile(0.5) ?? 1, 0.2), 5))
    }
}
