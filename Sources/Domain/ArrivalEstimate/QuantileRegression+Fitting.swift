extension QuantileRegression {
    /// Bands of predicted seconds in which windows are checked.
    private static let bands: [Double?] = [180, 480, 900, nil]
    /// Chance of an arrival beyond either end.
    private static let beyond = 0.1
    /// Groups are divided into so many parts, each predicted by what was learned from the others.
    private static let trials = 4
    /// Rows below which a band keeps the ends as they are.
    private static let rowsMin = 200

    /// - Parameter growing: how each of the three sums of trees grows; what its quantile says does not count.
    static func fit(
        _ table: TrainingTable, scale: Scale = .ratio, bands: [Double?] = bands, growing: TreeGrowing = TreeGrowing()
    ) -> QuantileRegression {
        var errors: [(raw: Prediction, truth: Double, weight: Double)] = []
        for trial in 0..<trials {
            let rest = table.filter { $0 % trials != trial }
            let part = table.filter { $0 % trials == trial }
            guard rest.count > 0, part.count > 0 else { continue }
            let regression = grow(rest, scale: scale, growing: growing)
            for row in 0..<part.count {
                let base = part.bases[row]
                errors.append(
                    (regression.raw(of: part.rows[row], base: base), part.ratios[row] * base, part.weights[row]))
            }
        }
        var whole = grow(table, scale: scale, growing: growing)
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

    private static func grow(_ table: TrainingTable, scale: Scale, growing: TreeGrowing) -> QuantileRegression {
        let table = scale == .logarithm ? table.logarithmic : table
        func trees(_ quantile: Double?, seed: UInt64) -> RegressionTrees {
            var growing = growing
            (growing.quantile, growing.seed) = (quantile, seed)
            return growing.grow(table)
        }
        return QuantileRegression(
            low: trees(beyond, seed: 1), point: trees(nil, seed: 2), high: trees(1 - beyond, seed: 3), stretches: [],
            scale: scale == .ratio ? nil : scale)
    }
}
