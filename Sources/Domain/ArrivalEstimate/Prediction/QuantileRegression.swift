import Foundation

/// Gradient-boosted quantile trees for a point and the ends of its window, as ratios of a base.
struct QuantileRegression: Hashable, Codable, Sendable {
    var low: RegressionTrees
    var point: RegressionTrees
    var high: RegressionTrees
    /// Factors, by band of predicted seconds, that correct the window's coverage on held-out groups.
    var calibrations: [IntervalCalibration]
    /// Nil is `ratio`, as in files without the key.
    var scale: Scale?

    /// The keys of the stored format, which is older than some of the names.
    private enum CodingKeys: String, CodingKey {
        case low, point, high, scale
        case calibrations = "stretches"
    }

    /// The target of the trees.
    enum Scale: String, Hashable, Codable, Sendable {
        case ratio
        /// The logarithm of the ratio: trees multiply, so a slow courier is slow by a share anywhere on the leg.
        case logarithm
    }

    func prediction(of leg: LegFeatures) -> Prediction {
        prediction(of: leg.features, base: leg.base(for: scale))
    }

    func point(of leg: LegFeatures) -> Double { point(of: leg.features, base: leg.base(for: scale)) }

    /// Factors on the distance of either end from the point, for points in one band of predicted seconds.
    struct IntervalCalibration: Hashable, Codable, Sendable {
        /// Upper bound of the band, which begins at that of the one before; nil for the last.
        var below: Double?
        var low: Double
        var high: Double
    }

    /// Seconds to go: a point, and an 80 % prediction interval with 10 % on either side.
    struct Prediction: Hashable, Sendable {
        var low: Double
        var point: Double
        var high: Double
    }

    func point(of features: [Double], base: Double) -> Double { ratio(point, features) * base }

    func prediction(of features: [Double], base: Double) -> Prediction {
        let raw = raw(of: features, base: base)
        let calibration =
            calibrations.first { raw.point < $0.below ?? .infinity } ?? IntervalCalibration(below: nil, low: 1, high: 1)
        return Prediction(
            low: max(0, raw.point - (raw.point - raw.low) * calibration.low), point: raw.point,
            high: raw.point + (raw.high - raw.point) * calibration.high)
    }

    private func ratio(_ trees: RegressionTrees, _ features: [Double]) -> Double {
        let value = trees.value(of: features)
        return scale == .logarithm ? exp(min(value, Self.logarithmMax)) : max(0, value)
    }

    /// A ratio of more than e³, about 20, to the base is an artefact of extrapolation.
    private static let logarithmMax = 3.0

    /// The prediction before calibration.
    func raw(of features: [Double], base: Double) -> Prediction {
        let point = point(of: features, base: base)
        return Prediction(
            low: min(ratio(low, features) * base, 0.98 * point), point: point,
            high: max(ratio(high, features) * base, 1.02 * point + 1))
    }

    /// Whether it has trees, and so has learned the effect of standing and silence.
    var usesFeatures: Bool { !point.trees.isEmpty }

    /// Whether any feature counts.
    var hasTrees: Bool { [low, point, high].contains { !$0.trees.isEmpty } }

    func isSound(features count: Int) -> Bool {
        [low, point, high].allSatisfy { $0.isSound(features: count) }
            && calibrations.allSatisfy { $0.low.isFinite && $0.low >= 0 && $0.high.isFinite && $0.high >= 0 }
    }

    /// The regression for reordered features: feature `n` becomes `features[n]`.
    func mappingFeatures(_ features: [Int]) -> QuantileRegression {
        var regression = self
        regression.low = low.mappingFeatures(features)
        regression.point = point.mappingFeatures(features)
        regression.high = high.mappingFeatures(features)
        return regression
    }
}
