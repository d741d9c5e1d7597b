extension QuantileRegression {
    /// Upper bounds in predicted seconds of the bands in which intervals are calibrated.
    private static let bands: [Double?] = [180, 480, 900, nil]
    /// Probability of an arrival beyond either end.
    private static let tailProbability = 0.1
    /// Folds of the grouped cross-validation; no group is in two of them.
    private static let folds = 4
    /// The least held-out rows for the calibration of a band.
    private static let rowsMin = 200

    /// Fits three quantiles and calibrates their interval on held-out folds.
    ///
    /// - Parameter boosting: of each of the three; its quantile and seed are ignored.
    static func fit(
        _ table: TrainingTable, scale: Scale = .ratio, bands: [Double?] = bands,
        boosting: GradientBoosting = GradientBoosting()
    ) -> QuantileRegression {
        var errors: [(raw: Prediction, truth: Double, weight: Double)] = []
        for fold in 0..<folds {
            let training = table.filter { $0 % folds != fold }
            let heldOut = table.filter { $0 % folds == fold }
            guard training.count > 0, heldOut.count > 0 else { continue }
            let regression = boost(training, scale: scale, boosting: boosting)
            for row in 0..<heldOut.count {
                let base = heldOut.bases[row]
                errors.append(
                    (
                        regression.raw(of: heldOut.rows[row], base: base), heldOut.ratios[row] * base,
                        heldOut.weights[row]
                    ))
            }
        }
        var regression = boost(table, scale: scale, boosting: boosting)
        var from = 0.0
        for band in bands {
            let own = errors.filter { $0.raw.point >= from && $0.raw.point < band ?? .infinity }
            from = band ?? from
            guard own.count >= rowsMin else {
                regression.calibrations.append(IntervalCalibration(below: band, low: 1, high: 1))
                continue
            }
            let below = own.map {
                Weighted(value: ($0.raw.point - $0.truth) / max($0.raw.point - $0.raw.low, 1), weight: $0.weight)
            }
            let above = own.map {
                Weighted(value: ($0.truth - $0.raw.point) / ($0.raw.high - $0.raw.point), weight: $0.weight)
            }
            regression.calibrations.append(
                IntervalCalibration(
                    below: band, low: max(0, below.quantile(1 - tailProbability) ?? 1).rounded(digits: 4),
                    high: max(0, above.quantile(1 - tailProbability) ?? 1).rounded(digits: 4)))
        }
        return regression
    }

    private static func boost(_ table: TrainingTable, scale: Scale, boosting: GradientBoosting) -> QuantileRegression {
        let table = scale == .logarithm ? table.logarithmic : table
        func trees(_ quantile: Double?, seed: UInt64) -> RegressionTrees {
            var boosting = boosting
            (boosting.quantile, boosting.seed) = (quantile, seed)
            return boosting.fit(table)
        }
        return QuantileRegression(
            low: trees(tailProbability, seed: 1), point: trees(nil, seed: 2), high: trees(1 - tailProbability, seed: 3),
            calibrations: [],
            scale: scale == .ratio ? nil : scale)
    }
}
