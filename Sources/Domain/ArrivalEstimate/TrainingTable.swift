import Foundation

/// What a regression learns from: rows of features, what should have been said, and how much each counts.
struct TrainingTable {
    private(set) var rows: [[Double]] = []
    /// True over base.
    private(set) var ratios: [Double] = []
    private(set) var bases: [Double] = []
    private(set) var weights: [Double] = []
    /// Where each row's point lies among what may happen; 0.5 makes the least error, more tells fewer too early.
    private(set) var quantiles: [Double] = []
    /// Rows of one ride are drawn together.
    private(set) var rides: [Int] = []
    /// Rows of one group are never on both sides of a trial; a courier, a store.
    private(set) var groups: [Int] = []

    var count: Int { rows.count }

    /// - Parameter weight: of the row; what is learned is the ratio, so that near and far count alike.
    mutating func append(
        _ features: [Double], base: Double, seconds: Double, weight: Double, quantile: Double = 0.5, ride: Int,
        group: Int
    ) {
        rows.append(features)
        ratios.append(seconds / base)
        bases.append(base)
        weights.append(weight)
        quantiles.append(quantile)
        rides.append(ride)
        groups.append(group)
    }

    func filter(_ isIncluded: (_ group: Int) -> Bool) -> TrainingTable {
        var table = TrainingTable()
        for index in 0..<count where isIncluded(groups[index]) {
            table.append(
                rows[index], base: bases[index], seconds: ratios[index] * bases[index],
                weight: weights[index], quantile: quantiles[index], ride: rides[index], group: groups[index])
        }
        return table
    }

    /// The same rows with logarithms in place of the ratios.
    ///
    /// Long ways count for more by the root of their length: halfway between errors as shares and errors in seconds.
    var logarithmic: TrainingTable {
        var table = self
        table.ratios = ratios.map { log(max($0, Self.ratioMin)) }
        table.weights = zip(weights, bases).map { $0 * $1.squareRoot() }
        return table
    }

    /// What is said for less than this has no logarithm worth learning.
    private static let ratioMin = 0.02
}
