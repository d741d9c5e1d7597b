/// A value and its weight.
struct Weighted {
    let value: Double
    let weight: Double
}

extension [Weighted] {
    /// The value with this share of the weight at or below it; nil for an empty list.
    func quantile(_ share: Double) -> Double? {
        let sorted = sorted { $0.value < $1.value }
        let limit = sorted.reduce(0) { $0 + $1.weight } * share
        var sum = 0.0
        for one in sorted {
            sum += one.weight
            if sum >= limit { return one.value }
        }
        return sorted.last?.value
    }
}
