import Foundation
import SeededRandom

/// Boosts small trees towards a quantile of the ratio, one tree after another on what the former left over.
///
/// Few leaves, a low rate and draws of whole rides: neighbouring moments of a ride are nearly the same moment, so a
/// deeper tree learns rides by heart. Chosen by trials across couriers.
struct TreeGrowing {
    /// Nil for each row's own.
    var quantile: Double?
    var rounds = 200
    var leavesMax = 6
    /// Share of each tree's answer that is taken.
    var rate = 0.05
    /// Chance of a ride, and of a feature, to be looked at for a tree.
    var rideShare = 0.6
    var featureShare = 0.25
    var binsMax = 48
    /// Share of all weight that a leaf holds at least, and by which it is drawn to zero.
    var leafShare = 0.003
    var seed: UInt64 = 1

    func grow(_ table: TrainingTable) -> RegressionTrees {
        let bins = FeatureBins(table.rows, binsMax: binsMax)
        let all = (0..<table.count).map { Weighted(value: table.ratios[$0], weight: table.weights[$0]) }
        let start = all.quantile(quantile ?? table.quantile(of: Array(0..<table.count))) ?? 1
        var random = TrainingSequence(seed: seed)
        var trees = RegressionTrees(start: start, trees: [])
        var said = [Double](repeating: start, count: table.count)
        let rides = (table.rides.max() ?? -1) + 1
        for _ in 0..<rounds {
            let drawn = (0..<rides).map { _ in random.next() < rideShare }
            let features = bins.cuts.indices.filter { _ in random.next() < featureShare }
            let rows = (0..<table.count).filter { drawn[table.rides[$0]] }
            guard !features.isEmpty, !rows.isEmpty else { continue }
            let tree = TreeDraft(growing: self, table: table, bins: bins, said: said, features: features).grow(rows)
            for row in 0..<table.count { said[row] += RegressionTrees.answer(of: tree, to: table.rows[row]) }
            trees.trees.append(tree)
        }
        return trees
    }
}

/// One tree while it grows: the leaf that gains most is split next.
private struct TreeDraft {
    let growing: TreeGrowing
    let table: TrainingTable
    let bins: FeatureBins
    let features: [Int]
    let left: [Double]
    let pulls: [Double]
    let weightMin: Double

    private struct Leaf {
        let node: Int
        let rows: [Int]
        var gain = 0.0
        var feature = 0
        var bin = 0
    }

    init(growing: TreeGrowing, table: TrainingTable, bins: FeatureBins, said: [Double], features: [Int]) {
        self.growing = growing
        self.table = table
        self.bins = bins
        self.features = features
        left = (0..<table.count).map { table.ratios[$0] - said[$0] }
        let left = left
        pulls = left.indices.map { row in
            let quantile = growing.quantile ?? table.quantiles[row]
            return (left[row] > 0 ? quantile : quantile - 1) * table.weights[row]
        }
        weightMin = growing.leafShare * table.weights.reduce(0, +)
    }

    func grow(_ rows: [Int]) -> [RegressionTrees.Node] {
        var nodes: [RegressionTrees.Node] = [.answer(0)]
        var leaves = [split(Leaf(node: 0, rows: rows))]
        while leaves.count < growing.leavesMax {
            guard let index = leaves.indices.max(by: { leaves[$0].gain < leaves[$1].gain }), leaves[index].gain > 0
            else { break }
            let leaf = leaves.remove(at: index)
            let column = bins.columns[leaf.feature]
            nodes[leaf.node] = .question(
                feature: leaf.feature, threshold: bins.cuts[leaf.feature][leaf.bin].rounded(digits: 6),
                left: nodes.count, right: nodes.count + 1)
            for isLeft in [true, false] {
                let own = leaf.rows.filter { (Int(column[$0]) <= leaf.bin) == isLeft }
                leaves.append(split(Leaf(node: nodes.count, rows: own)))
                nodes.append(.answer(0))
            }
        }
        for leaf in leaves { nodes[leaf.node] = .answer(answer(of: leaf.rows)) }
        return nodes
    }

    private func answer(of rows: [Int]) -> Double {
        let own = rows.map { Weighted(value: left[$0], weight: table.weights[$0]) }
        let weight = own.reduce(0) { $0 + $1.weight }
        let quantile = growing.quantile ?? table.quantile(of: rows)
        let value = growing.rate * (own.quantile(quantile) ?? 0) * weight / (weight + weightMin)
        return value.rounded(digits: 5)
    }

    /// The leaf with the split that gains most, if any gains.
    private func split(_ leaf: Leaf) -> Leaf {
        var best = leaf
        let pull = leaf.rows.reduce(0) { $0 + pulls[$1] }
        let weight = leaf.rows.reduce(0) { $0 + table.weights[$1] }
        let whole = pull * pull / (weight + weightMin)
        for feature in features where !bins.cuts[feature].isEmpty {
            var sums = [(pull: Double, weight: Double)](repeating: (0, 0), count: bins.cuts[feature].count + 1)
            bins.columns[feature].withUnsafeBufferPointer { column in
                for row in leaf.rows {
                    let bin = Int(column[row])
                    sums[bin].pull += pulls[row]
                    sums[bin].weight += table.weights[row]
                }
            }
            var (leftPull, leftWeight) = (0.0, 0.0)
            for bin in bins.cuts[feature].indices {
                leftPull += sums[bin].pull
                leftWeight += sums[bin].weight
                guard min(leftWeight, weight - leftWeight) >= weightMin * growing.rideShare else { continue }
                let rightPull = pull - leftPull
                let gain =
                    leftPull * leftPull / (leftWeight + weightMin)
                    + rightPull * rightPull / (weight - leftWeight + weightMin) - whole
                if gain > best.gain { (best.gain, best.feature, best.bin) = (gain, feature, bin) }
            }
        }
        return best
    }
}

extension TrainingTable {
    /// Where one answer for all these rows must lie: the mean of their quantiles, by weight; 0.5 for none.
    fileprivate func quantile(of rows: [Int]) -> Double {
        let weight = rows.reduce(0) { $0 + weights[$1] }
        return weight > 0 ? rows.reduce(0) { $0 + weights[$1] * quantiles[$1] } / weight : 0.5
    }
}

extension Double {
    /// To so many significant digits, which is what a model's file keeps.
    func rounded(digits: Int) -> Double {
        guard self != 0, isFinite else { return self }
        let scale = pow10(Double(digits) - 1 - log10(abs(self)).rounded(.down))
        return (self * scale).rounded() / scale
    }
}

private func pow10(_ exponent: Double) -> Double { pow(10, exponent) }
