import Foundation

/// The results of a run of the outage benchmark.
struct OutageReport: BenchReport {
    /// The target for each time until something is as before.
    static let aimSeconds = 60.0

    let machine: Machine
    let changesPerSecond: Double
    let seconds: Double
    let deliveries: Int
    /// Changes that were not answered with 200 while the broker was away and after.
    let refused: Int
    /// Answered changes that were on no screen when the broker came back.
    let unarrived: Int
    /// Messages that waited in the services' outboxes when the broker came back.
    let waiting: Int
    /// From then until every change of before was on its screen; nil where it took longer than the run waits.
    let screensSeconds: Double?
    /// From then until every message of before was sent; nil where it took longer than the run waits.
    let outboxSeconds: Double?
    /// From then until the load's newest changes were on their screens within a second again; nil likewise.
    let currentSeconds: Double?
    /// At the end of the outage.
    let memory: [String: ProcessUsage.Memory]
    /// Processor time by process from then until all was sent.
    let cpuSeconds: [String: Double]
    let before: OpenLoad.Outcome
    let after: OpenLoad.Outcome

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var lines = [
            "| Broker away for \(text(seconds)) s at \(text(changesPerSecond)) changes/s | | Aim |", "|---|---|---|",
            "| changes refused | \(refused) | 0 |",
            "| changes on no screen, and messages waiting, when it was back | \(unarrived), \(waiting) | |",
            "| until every change of before was on its screen, s | \(drained(screensSeconds)) | \(text(Self.aimSeconds)) |",
            "| until every message of before was sent, s | \(drained(outboxSeconds)) | \(text(Self.aimSeconds)) |",
            "| until new changes were on their screens within a second again, s | \(drained(currentSeconds)) | \(text(Self.aimSeconds)) |",
            "| p50 and p99 from answer to arrival before the outage, ms | \(latencies(before)) | |",
            "| the same when all was sent, ms | \(latencies(after)) | |",
            "", "| Process | MiB at the end of the outage | seconds of processor time from then until all was sent |",
            "|---|---|---|",
        ]
        for (name, cpu) in cpuSeconds.sorted(by: { $0.key < $1.key }) {
            lines.append("| \(name) | \(memory[name].map { text($0.residentMebibytes) } ?? "") | \(text(cpu)) |")
        }
        lines += ["", "\(deliveries) deliveries.", machine.summary]
        return lines.joined(separator: "\n")
    }

    private func drained(_ seconds: Double?) -> String { seconds.map(text) ?? "not within the run" }

    private func latencies(_ outcome: OpenLoad.Outcome) -> String {
        let arrival = outcome.fromAnswerToArrival
        return "\(text(arrival.p50Milliseconds)), \(text(arrival.p99Milliseconds))"
    }

    private func text(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}
