import Foundation

/// Factors of stores or couriers, shrunk towards 1 where cases are few.
struct ShrunkFactors: Hashable, Codable, Sendable {
    private(set) var factors: [String: Double] = [:]

    /// Prior strength of a factor of 1, in cases.
    private static let priorCases = 12.0

    /// - Parameter cases: logarithms of actual over expected, by the name of the store or courier.
    init(_ cases: [(name: String, log: Double)]) {
        factors = Dictionary(grouping: cases, by: \.name).mapValues { own in
            exp(own.reduce(0) { $0 + Self.bounded($1.log) } / (Double(own.count) + Self.priorCases)).rounded(digits: 4)
        }
    }

    func logFactor(_ name: String?) -> Double { name.flatMap { factors[$0] }.map { log($0) } ?? 0 }

    /// The log factor of each case without the case itself, as a feature must not contain its own label.
    static func leavingOneOut(_ cases: [(name: String, log: Double)]) -> [Double] {
        var sums: [String: (sum: Double, count: Double)] = [:]
        for one in cases {
            let former = sums[one.name] ?? (0, 0)
            sums[one.name] = (former.sum + bounded(one.log), former.count + 1)
        }
        return cases.map { one in
            let all = sums[one.name] ?? (0, 1)
            return (all.sum - bounded(one.log)) / (all.count - 1 + priorCases)
        }
    }

    private static func bounded(_ log: Double) -> Double { min(max(log, -1.5), 1.5) }
}
