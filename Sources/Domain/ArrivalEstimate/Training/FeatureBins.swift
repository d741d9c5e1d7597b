/// A table's features in a few dozen histogram bins each, so that a split is searched among bins instead of rows.
struct FeatureBins {
    /// Bounds between bins; `cuts[feature][bin]` is the upper bound of the bin.
    let cuts: [[Double]]
    /// The bin of each row, feature by feature.
    let columns: [[UInt8]]

    init(_ rows: [[Double]], binsMax: Int) {
        let features = rows.first?.count ?? 0
        var (cuts, columns): ([[Double]], [[UInt8]]) = ([], [])
        for feature in 0..<features {
            let values = rows.map { $0[feature] }
            let own = Self.cuts(of: values.sorted(), binsMax: binsMax)
            cuts.append(own)
            columns.append(values.map { UInt8(Self.bin(of: $0, in: own)) })
        }
        self.cuts = cuts
        self.columns = columns
    }

    /// Bounds halfway between neighbouring values, at equal shares of the rows.
    private static func cuts(of sorted: [Double], binsMax: Int) -> [Double] {
        var cuts: [Double] = []
        for bin in 1..<binsMax {
            let index = bin * sorted.count / binsMax
            guard let above = sorted[index...].first(where: { $0 > sorted[index] }) else { break }
            let cut = (sorted[index] + above) / 2
            if cuts.last.map({ cut > $0 }) ?? true { cuts.append(cut) }
        }
        return cuts
    }

    private static func bin(of value: Double, in cuts: [Double]) -> Int {
        var (low, high) = (0, cuts.count)
        while low < high {
            let middle = (low + high) / 2
            if value <= cuts[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
