/// A point and the ends of its window, as ratios of a base that something else gives.
struct QuantileRegression: Hashable, Codable, Sendable {
    var low: RegressionTrees
    var point: RegressionTrees
    var high: RegressionTrees
    /// How far the ends must be stretched away from the point so that the window holds what it says.
    var stretches: [Stretch]

    /// For points of less than so many seconds, and not less than the former.
    struct Stretch: Hashable, Codable, Sendable {
        /// Nil for the last.
        var below: Double?
        var low: Double
        var high: Double
    }

    /// Seconds to go: a point, and a window that holds the truth with a chance of 80 %, 10 % left on either side.
    struct Prediction: Hashable, Sendable {
        var low: Double
        var point: Double
        var high: Double
    }

    func point(of features: [Double], base: Double) -> Double { max(0, point.value(of: features) * base) }

    func prediction(of features: [Double], base: Double) -> Prediction {
        let raw = raw(of: features, base: base)
        let stretch = stretches.first { raw.point < $0.below ?? .infinity } ?? Stretch(below: nil, low: 1, high: 1)
        return Prediction(
            low: max(0, raw.point - (raw.point - raw.low) * stretch.low), point: raw.point,
            high: raw.point + (raw.high - raw.point) * stretch.high)
    }

    private func raw(of features: [Double], base: Double) -> Prediction {
        let point = point(of: features, base: base)
        return Prediction(
            low: min(max(0, low.value(of: features) * base), 0.98 * point), point: point,
            high: max(high.value(of: features) * base, 1.02 * point + 1))
    }

    /// Whether it learned what standing and silence mean.
    var seesProgress: Bool { !point.trees.isEmpty }

    func isSound(features count: Int) -> Bool {
        [low, point, high].allSatisfy { $0.isSound(features: count) }
            && stretches.allSatisfy { $0.low.isFinite && $0.low >= 0 && $0.high.isFinite && $0.high >= 0 }
    }
}

extension QuantileRegression {
    /// Bands of predicted seconds in which windows are checked.
    private static let bands: [Double?] = [180, 480, 900, nil]
    /// Chance of an arrival beyond either end.
    private static let beyond = 0.1
    /// Groups are divided into so many parts, each predicted by what was learned from the others.
    private static let trials = 4
    /// Rows below which a band keeps the ends as they are.
    private static let rowsMin = 200

    /// - Parameter pointQuantile: where the point lies among what may happen; 0.5 makes the least error.
    /// - Parameter rounds: trees for each of the three; 0 for constants.
    static func fit(
        _ table: TrainingTable, pointQuantile: Double, bands: [Double?] = bands, rounds: Int = 200
    ) -> QuantileRegression {
        var errors: [(raw: Prediction, truth: Double, weight: Double)] = []
        for trial in 0..<trials {
            let rest = table.filter { $0 % trials != trial }
            let part = table.filter { $0 % trials == trial }
            guard rest.count > 0, part.count > 0 else { continue }
            let regression = grow(rest, pointQuantile: pointQuantile, rounds: rounds)
            for row in 0..<part.count {
                let base = part.bases[row]
                errors.append(
                    (regression.raw(of: part.rows[row], base: base), part.ratios[row] * base, part.weights[row]))
            }
        }
        var whole = grow(table, pointQuantile: pointQuantile, rounds: rounds)
        var from = 0.0
        for band in bands {
            let own = errors.filter { $0.raw.point >= from && $0.raw.point < band ?? .infinity }
            from = band ?? from
            guard own.count >= rowsMin else {
                whole.stretches.append(Stretch(below: band, low: 1, high: 1))
                continue
            }
            let below = own.map {
                Weighted(value: ($0.raw.point - $0.truth) / max($0.raw.point - $0.raw.low, 1), weight: $0.weight)
            }
            let above = own.map {
                Weighted(value: ($0.truth - $0.raw.point) / ($0.raw.high - $0.raw.point), weight: $0.weight)
            }
            whole.stretches.append(
                Stretch(
                    below: band, low: max(0, below.quantile(1 - beyond) ?? 1).rounded(digits: 4),
                    high: max(0, above.quantile(1 - beyond) ?? 1).rounded(digits: 4)))
        }
        return whole
    }

    private static func grow(_ table: TrainingTable, pointQuantile: Double, rounds: Int) -> QuantileRegression {
        func trees(_ quantile: Double, seed: UInt64) -> RegressionTrees {
            TreeGrowing(quantile: quantile, rounds: rounds, seed: seed).grow(table)
        }
        return QuantileRegression(
            low: trees(beyond, seed: 1), point: trees(pointQuantile, seed: 2), high: trees(1 - beyond, seed: 3),
            stretches: [])
    }
}
