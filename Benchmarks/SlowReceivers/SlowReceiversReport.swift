/// The results of a run of the benchmark of slow receivers.
struct SlowReceiversReport: BenchReport {
    /// The target for the figures.
    enum Aim {
        static let p99Milliseconds = 1_000.0
    }

    let machine: Machine
    let changesPerSecond: Double
    let seconds: Double
    let slowEndpoints: Int
    let slowStores: Int
    let answerSeconds: Double
    let deadEndpoints: Int
    let deadStores: Int
    let quiet: MeasuredStore.Period
    let loaded: MeasuredStore.Period
    /// Of the other stores, at the end.
    let eventsWaiting: Int

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var lines = [
            "| From a change to its webhook, \(text(changesPerSecond)) a second for \(text(seconds)) s | p50 ms | p99 ms | longest ms | Aim, p99 |",
            "|---|---|---|---|---|",
            row("quiet", quiet),
            row(
                """
                \(slowEndpoints) endpoints of \(slowStores) other stores answer after \(text(answerSeconds)) s, \
                \(deadEndpoints) of \(deadStores) more are dead
                """, loaded),
            "", "| Process | seconds of processor time, quiet | loaded |", "|---|---|---|",
        ]
        for (name, seconds) in quiet.cpuSeconds.sorted(by: { $0.key < $1.key }) {
            lines.append("| \(name) | \(text(seconds)) | \(text(loaded.cpuSeconds[name] ?? 0)) |")
        }
        lines += [
            "",
            """
            p99 from a change to its answer: \(text(quiet.untilAnswer.p99Milliseconds)) ms quiet, \
            \(text(loaded.untilAnswer.p99Milliseconds)) ms loaded. \
            \(eventsWaiting) events of the other stores waited at the end.
            """, machine.summary,
        ]
        return lines.joined(separator: "\n")
    }

    private func row(_ name: String, _ period: MeasuredStore.Period) -> String {
        let latency = period.untilArrival
        return """
            | \(name) | \(text(latency.p50Milliseconds)) | \(text(latency.p99Milliseconds)) \
            | \(text(latency.maxMilliseconds)) | ≤ \(text(Aim.p99Milliseconds)) |
            """
    }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 10).rounded() / 10)
    }
}
