import Foundation

/// Training data of a regression: rows of features with their targets and weights.
struct TrainingTable {
    private(set) var rows: [[Double]] = []
    /// The targets: actual seconds over base.
    private(set) var ratios: [Double] = []
    private(set) var bases: [Double] = []
    private(set) var weights: [Double] = []
    /// The quantile of each row's point; 0.5 minimises the error, more makes fewer estimates too early.
    private(set) var quantiles: [Double] = []
    /// Rows of one ride are sampled together.
    private(set) var rides: [Int] = []
    /// Rows of one group, a courier or a store, are in one fold together.
    private(set) var groups: [Int] = []

    var count: Int { rows.count }

    /// - Parameter weight: of the row; the target is the ratio, so that near and far count alike.
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

    /// The rows with logarithms in place of the ratios.
    ///
    /// Long legs weigh more, by the root of their length: halfway between relative and absolute errors.
    var logarithmic: TrainingTable {
        var table = self
        table.ratios = ratios.map { log(max($0, Self.ratioMin)) }
        table.weights = zip(weights, bases).map { $0 * $1.squareRoot() }
        return table
    }

    /// Lower bound of a ratio before the logarithm.
    private static let ratioMin = 0.02
}
