import Foundation

/// The results of a run of the cards benchmark.
struct CardsReport: BenchReport {
    /// The target: the cost of a change with the most cards, of that with the fewest.
    static let ratioMax = 1.2

    /// The load while so many cards were live.
    struct Line: Codable {
        let cards: Int
        let step: Step
        /// Of `activity-dispatch`, after the load.
        let residentMebibytes: Double

        /// Milliseconds of processor time a change, of `activity-dispatch` and the database.
        var milliseconds: Double {
            ["activity-dispatch", "postgres"].compactMap { step.cpuMillisecondsPerChange[$0] }.reduce(0, +)
        }
    }

    let machine: Machine
    let lines: [Line]

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var rows = [
            """
            | Live cards | CPU ms a change, activity-dispatch and postgres | of the first | p50 ms | p99 ms \
            | activity-dispatch, MiB |
            """,
            "|---|---|---|---|---|---|",
        ]
        for line in lines {
            let arrival = line.step.outcome.fromAnswerToArrival
            let ratio = line.milliseconds / (lines.first?.milliseconds ?? .nan)
            rows.append(
                """
                | \(line.cards) | \(text(line.milliseconds)) | \(text(ratio)) | \(text(arrival.p50Milliseconds)) \
                | \(text(arrival.p99Milliseconds)) | \(text(line.residentMebibytes)) |
                """)
        }
        let rate = lines.first?.step.outcome.changesPerSecond ?? 0
        rows += [
            "",
            "Aim: ≤ \(text(Self.ratioMax)) of the first. \(text(rate)) changes/s, from answer to arrival. "
                + machine.summary,
        ]
        return rows.joined(separator: "\n")
    }

    private func text(_ number: Double) -> String { String((number * 100).rounded() / 100) }
}
