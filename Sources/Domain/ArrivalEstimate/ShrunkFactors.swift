import Foundation

/// Factors of stores or couriers, drawn to 1 by how little was seen of each.
struct ShrunkFactors: Hashable, Codable, Sendable {
    private(set) var factors: [String: Double] = [:]

    /// Cases that weigh as much as the belief in no difference.
    private static let belief = 12.0

    /// - Parameter cases: true over expected, as logarithms, with whose they are.
    init(_ cases: [(name: String, log: Double)]) {
        factors = Dictionary(grouping: cases, by: \.name).mapValues { own in
            exp(own.reduce(0) { $0 + Self.bounded($1.log) } / (Double(own.count) + Self.belief)).rounded(digits: 4)
        }
    }

    func logFactor(_ name: String?) -> Double { name.flatMap { factors[$0] }.map { log($0) } ?? 0 }

    /// Of each case, without the case itself: what would have been known before it.
    static func leavingOneOut(_ cases: [(name: String, log: Double)]) -> [Double] {
        var sums: [String: (sum: Double, count: Double)] = [:]
        for one in cases {
            let former = sums[one.name] ?? (0, 0)
            sums[one.name] = (former.sum + bounded(one.log), former.count + 1)
        }
        return cases.map { one in
            let all = sums[one.name] ?? (0, 1)
            return (all.sum - bounded(one.log)) / (all.count - 1 + belief)
        }
    }

    private static func bounded(_ log: Double) -> Double { min(max(log, -1.5), 1.5) }
}
