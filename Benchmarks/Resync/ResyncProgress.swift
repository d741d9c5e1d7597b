import Foundation

/// The progress of a service's periodic resync round, with its counters.
struct ResyncProgress {
    /// Slices of a round.
    static let slices = 128

    /// The slice's number, from 0 to below ``slices``.
    let slice: Int
    let compared: Double
    let republished: Double
    let pages: Double
    let pageSeconds: Double
    /// Pages by the upper bound of their seconds.
    let buckets: [Double: Double]

    /// - Parameters:
    ///   - port: where the service serves its metrics.
    ///   - schema: its schema.
    init(port: Int, schema: String, stack: Stack) throws {
        slice = Int(try stack.value("SELECT slice FROM \(schema).resync_rounds WHERE name <> 'devices'")) ?? 0
        let metrics = try run("/usr/bin/env", ["curl", "-sSf", "--max-time", "20", "http://127.0.0.1:\(port)/metrics"])
        var values: [String: Double] = [:]
        var buckets: [Double: Double] = [:]
        for line in metrics.split(separator: "\n")
        where line.hasPrefix("doorstep_resync_") && !line.contains(#"name="devices""#) {
            guard let value = line.split(separator: " ").last.flatMap({ Double($0) }) else { continue }
            if let bound = line.firstMatch(of: /le="([^"]+)"/) {
                buckets[Double(bound.1) ?? .infinity] = value
            } else {
                values[String(line.prefix { $0 != "{" && $0 != " " })] = value
            }
        }
        compared = values["doorstep_resync_compared_total"] ?? 0
        republished = values["doorstep_resync_republished_total"] ?? 0
        pages = values["doorstep_resync_page_seconds_count"] ?? 0
        pageSeconds = values["doorstep_resync_page_seconds_sum"] ?? 0
        self.buckets = buckets
    }

    /// The least histogram bound that no page since `before` exceeded.
    func longestPage(since before: ResyncProgress) -> Double {
        buckets.keys.sorted().first { bound in
            (buckets[bound] ?? 0) - (before.buckets[bound] ?? 0) >= pages - before.pages
        } ?? .infinity
    }
}
