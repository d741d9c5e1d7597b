import Foundation
import SeededRandom

/// Gradient boosting of small regression trees for a quantile of the ratio (pinball loss).
///
/// Few leaves, a low learning rate and subsampling of whole rides: neighbouring moments of a ride are nearly the same
/// row, so a deeper tree overfits to rides. Chosen by cross-validation over couriers.
struct GradientBoosting {
    /// Nil for the quantile of each row.
    var quantile: Double?
    var rounds = 200
    var leavesMax = 6
    /// Learning rate.
    var rate = 0.05
    /// Probability of a ride, and of a feature, to be sampled for a tree.
    var rideShare = 0.6
    var featureShare = 0.25
    var binsMax = 48
    /// Minimum share of all weight in a leaf, and the weight by which a leaf is shrunk towards zero.
    var leafShare = 0.003
    var seed: UInt64 = 1

    func fit(_ table: TrainingTable) -> RegressionTrees {
        let bins = FeatureBins(table.rows, binsMax: binsMax)
        let all = (0..<table.count).map { Weighted(value: table.ratios[$0], weight: table.weights[$0]) }
        let start = all.quantile(quantile ?? table.quantile(of: Array(0..<table.count))) ?? 1
        var random = TrainingSequence(seed: seed)
        var trees = RegressionTrees(start: start, trees: [])
        var predictions = [Double](repeating: start, count: table.count)
        let rides = (table.rides.max() ?? -1) + 1
        for _ in 0..<rounds {
            let sampled = (0..<rides).map { _ in random.next() < rideShare }
            let features = bins.cuts.indices.filter { _ in random.next() < featureShare }
            let rows = (0..<table.count).filter { sampled[table.rides[$0]] }
            guard !features.isEmpty, !rows.isEmpty else { continue }
            let tree = TreeDraft(boosting: self, table: table, bins: bins, predictions: predictions, features: features)
                .grow(rows)
            for row in 0..<table.count { predictions[row] += RegressionTrees.leaf(of: tree, for: table.rows[row]) }
            trees.trees.append(tree)
        }
        return trees
    }
}

/// One tree while it grows leaf-wise: the leaf with the largest gain is split next.
private struct TreeDraft {
    let boosting: GradientBoosting
    let table: TrainingTable
    let bins: FeatureBins
    let features: [Int]
    let residuals: [Double]
    /// Negative gradients of the pinball loss, weighted.
    let gradients: [Double]
    let weightMin: Double

    private struct Leaf {
        let node: Int
        let rows: [Int]
        var gain = 0.0
        var feature = 0
        var bin = 0
    }

    init(boosting: GradientBoosting, table: TrainingTable, bins: FeatureBins, predictions: [Double], features: [Int]) {
        self.boosting = boosting
        self.table = table
        self.bins = bins
        self.features = features
        residuals = (0..<table.count).map { table.ratios[$0] - predictions[$0] }
        let residuals = residuals
        gradients = residuals.indices.map { row in
            let quantile = boosting.quantile ?? table.quantiles[row]
            return (residuals[row] > 0 ? quantile : quantile - 1) * table.weights[row]
        }
        weightMin = boosting.leafShare * table.weights.reduce(0, +)
    }

    func grow(_ rows: [Int]) -> [RegressionTrees.Node] {
        var nodes: [RegressionTrees.Node] = [.leaf(0)]
        var leaves = [split(Leaf(node: 0, rows: rows))]
        while leaves.count < boosting.leavesMax {
            guard let index = leaves.indices.max(by: { leaves[$0].gain < leaves[$1].gain }), leaves[index].gain > 0
            else { break }
            let leaf = leaves.remove(at: index)
            let column = bins.columns[leaf.feature]
            nodes[leaf.node] = .split(
                feature: leaf.feature, threshold: bins.cuts[leaf.feature][leaf.bin].rounded(digits: 6),
                left: nodes.count, right: nodes.count + 1)
            for isLeft in [true, false] {
                let own = leaf.rows.filter { (Int(column[$0]) <= leaf.bin) == isLeft }
                leaves.append(split(Leaf(node: nodes.count, rows: own)))
                nodes.append(.leaf(0))
            }
        }
        for leaf in leaves { nodes[leaf.node] = .leaf(value(of: leaf.rows)) }
        return nodes
    }

    private func value(of rows: [Int]) -> Double {
        let own = rows.map { Weighted(value: residuals[$0], weight: table.weights[$0]) }
        let weight = own.reduce(0) { $0 + $1.weight }
        let quantile = boosting.quantile ?? table.quantile(of: rows)
        let value = boosting.rate * (own.quantile(quantile) ?? 0) * weight / (weight + weightMin)
        return value.rounded(digits: 5)
    }

    /// The leaf with its best split, if any has a gain.
    private func split(_ leaf: Leaf) -> Leaf {
        var best = leaf
        let gradient = leaf.rows.reduce(0) { $0 + gradients[$1] }
        let weight = leaf.rows.reduce(0) { $0 + table.weights[$1] }
        let whole = gradient * gradient / (weight + weightMin)
        for feature in features where !bins.cuts[feature].isEmpty {
            var sums = [(gradient: Double, weight: Double)](repeating: (0, 0), count: bins.cuts[feature].count + 1)
            bins.columns[feature].withUnsafeBufferPointer { column in
                for row in leaf.rows {
                    let bin = Int(column[row])
                    sums[bin].gradient += gradients[row]
                    sums[bin].weight += table.weights[row]
                }
            }
            var (leftGradient, leftWeight) = (0.0, 0.0)
            for bin in bins.cuts[feature].indices {
                leftGradient += sums[bin].gradient
                leftWeight += sums[bin].weight
                guard min(leftWeight, weight - leftWeight) >= weightMin * boosting.rideShare else { continue }
                let rightGradient = gradient - leftGradient
                let gain =
                    leftGradient * leftGradient / (leftWeight + weightMin)
                    + rightGradient * rightGradient / (weight - leftWeight + weightMin) - whole
                if gain > best.gain { (best.gain, best.feature, best.bin) = (gain, feature, bin) }
            }
        }
        return best
    }
}

extension TrainingTable {
    /// The quantile of a leaf with these rows: the mean of theirs, by weight; 0.5 for none.
    fileprivate func quantile(of rows: [Int]) -> Double {
        let weight = rows.reduce(0) { $0 + weights[$1] }
        return weight > 0 ? rows.reduce(0) { $0 + weights[$1] * quantiles[$1] } / weight : 0.5
    }
}

extension Double {
    /// Rounds to significant digits, the precision of a model's file.
    func rounded(digits: Int) -> Double {
        guard self != 0, isFinite else { return self }
        let scale = pow10(Double(digits) - 1 - log10(abs(self)).rounded(.down))
        return (self * scale).rounded() / scale
    }
}

private func pow10(_ exponent: Double) -> Double { pow(10, exponent) }
