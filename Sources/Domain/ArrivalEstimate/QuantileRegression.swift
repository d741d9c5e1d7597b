import Foundation

/// A point and the ends of its window, as ratios of a base that something else gives.
struct QuantileRegression: Hashable, Codable, Sendable {
    var low: RegressionTrees
    var point: RegressionTrees
    var high: RegressionTrees
    /// How far the ends must be stretched away from the point so that the window holds what it says.
    var stretches: [Stretch]
    /// Nil, as in files from before there was a choice, is `ratio`.
    var scale: Scale?

    /// What the trees say.
    enum Scale: String, Hashable, Codable, Sendable {
        case ratio
        /// Of the ratio: what two trees say is multiplied, so a slow courier is slow by a share wherever he is.
        case logarithm
    }

    func prediction(of progress: Progress) -> Prediction {
        prediction(of: progress.features, base: progress.base(for: scale))
    }

    func point(of progress: Progress) -> Double { point(of: progress.features, base: progress.base(for: scale)) }

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

    func point(of features: [Double], base: Double) -> Double { ratio(point, features) * base }

    func prediction(of features: [Double], base: Double) -> Prediction {
        let raw = raw(of: features, base: base)
        let stretch = stretches.first { raw.point < $0.below ?? .infinity } ?? Stretch(below: nil, low: 1, high: 1)
        return Prediction(
            low: max(0, raw.point - (raw.point - raw.low) * stretch.low), point: raw.point,
            high: raw.point + (raw.high - raw.point) * stretch.high)
    }

    private func ratio(_ trees: RegressionTrees, _ features: [Double]) -> Double {
        let value = trees.value(of: features)
        return scale == .logarithm ? exp(min(value, Self.logarithmMax)) : max(0, value)
    }

    /// A ratio of 20 to the base is no word about a courier.
    private static let logarithmMax = 3.0

    /// Before any stretching.
    func raw(of features: [Double], base: Double) -> Prediction {
        let point = point(of: features, base: base)
        return Prediction(
            low: min(ratio(low, features) * base, 0.98 * point), point: point,
            high: max(ratio(high, features) * base, 1.02 * point + 1))
    }

    /// Whether it learned what standing and silence mean.
    var seesProgress: Bool { !point.trees.isEmpty }

    func isSound(features count: Int) -> Bool {
        [low, point, high].allSatisfy { $0.isSound(features: count) }
            && stretches.allSatisfy { $0.low.isFinite && $0.low >= 0 && $0.high.isFinite && $0.high >= 0 }
    }

    /// The same for features in another order: what was feature `n` is now `features[n]`.
    func asking(_ features: [Int]) -> QuantileRegression {
        var regression = self
        regression.low = low.asking(features)
        regression.point = point.asking(features)
        regression.high = high.asking(features)
        return regression
    }
}
