import Foundation

/// The results of a run of the resync benchmark.
struct ResyncReport: BenchReport {
    /// A service's round.
    struct Line: Codable {
        let service: String
        let compared: Int
        let republished: Int
        let seconds: Double
        let pages: Int
        let meanPageMilliseconds: Double
        /// The bound of the histogram's bucket that the longest page is in; nil above them all.
        let longestPageSeconds: Double?

        var comparedPerSecond: Double { Double(compared) / seconds }
    }

    let machine: Machine
    let live: Int
    let ended: Int
    let intervalSeconds: Double
    /// Things that a reader did not have, or as of an older version, before the rounds; and after them.
    let lost: Int
    let notHealed: Int
    let lines: [Line]
    /// Milliseconds of processor time for each delivery, of all rounds together and of what their messages cause, by process.
    let cpuMillisecondsPerDelivery: [String: Double]
    /// Messages that waited in the outboxes when the rounds were over.
    let unsent: Int
    let walBytesPerDelivery: Double

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var rows = [
            "| Service | compared | republished | round, s | compared/s | pages | mean page, ms | longest page, s |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for line in lines {
            rows.append(
                """
                | \(line.service) | \(line.compared) | \(line.republished) | \(text(line.seconds)) \
                | \(text(line.comparedPerSecond)) | \(line.pages) \
                | \(text(line.meanPageMilliseconds)) | \(line.longestPageSeconds.map { "≤ \($0)" } ?? "above all bounds") |
                """)
        }
        let cpu = cpuMillisecondsPerDelivery.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        rows += [
            "", "CPU ms a delivery and round: \(cpu.joined(separator: ", ")).",
            """
            \(live) live and \(ended) lately ended deliveries, interval \(text(intervalSeconds)) s, aim: each round within it. \
            Of \(lost) things that a reader lacked \(lost - notHealed) were healed. \
            \(unsent) messages unsent after the rounds; \(text(walBytesPerDelivery)) bytes of WAL a delivery.
            """,
            machine.summary,
        ]
        return rows.joined(separator: "\n")
    }

    private func text(_ number: Double) -> String { String((number * 100).rounded() / 100) }
}
