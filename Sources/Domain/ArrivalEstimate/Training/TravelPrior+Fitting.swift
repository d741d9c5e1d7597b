import Foundation

/// One moment of a ride whose arrival is known.
struct PriorSample {
    let ride: Int
    let mode: TravelMode
    let metres: Double
    /// The hour of the local day.
    let hour: Double
    /// Seconds left from this moment.
    let seconds: Double
    let weight: Double
}

extension TravelPrior {
    /// Prior strengths in rides, for a factor of 1 and for the curve so far.
    private static let hourPriorRides = 12.0
    private static let courierPriorRides = 20.0
    private static let curvePriorRides = 5.0
    /// Moments below which a travel mode keeps the constants.
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

    /// The factor of a courier with these rides, shrunk towards 1 where they are few.
    static func courierFactor(_ rideLogs: [Double]) -> Double {
        exp(rideLogs.reduce(0, +) / (Double(rideLogs.count) + courierPriorRides))
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
            let value = (rides * median + curvePriorRides * guess) / (rides + curvePriorRides)
            // Monotonic: a longer distance never has a shorter time.
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
            return exp(logMedian(near.map { ratio(of: $0, to: expected($0)) }) * rides / (rides + hourPriorRides))
        }
    }

    /// Actual over expected, weighted by the expected seconds.
    private static func ratio(of sample: PriorSample, to expected: Double) -> Weighted {
        Weighted(value: sample.seconds / max(expected, 1), weight: sample.weight * expected)
    }

    private static func logMedian(_ ratios: [Weighted]) -> Double {
        log(min(max(ratios.quantile(0.5) ?? 1, 0.2), 5))
    }
}
