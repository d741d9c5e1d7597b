/// The results of a run of the webhooks' benchmark.
struct WebhooksReport: BenchReport {
    /// The target for the figures.
    enum Aim {
        static let shareOfEmptyRequests = 0.5
    }

    let machine: Machine
    let deliveries: Int
    let endpoints: Int
    /// While it is measured how long an event takes, counted once for each endpoint.
    let eventsPerSecond: Double
    let taken: ReportsTaken
    /// By what the last endpoint does, the first while it answers.
    let sent: [EventsSent]
    let drained: QueueDrained

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let parts = [takenTable, sentTable, drainedTable, processorTable, [machine.summary]]
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private var takenTable: [String] {
        let (empty, latency) = (taken.emptyLatency, taken.latency)
        return [
            "| \(deliveries) deliveries, \(taken.connections) connections | a second | of empty requests | p50 ms | p99 ms | Aim |",
            "|---|---|---|---|---|---|",
            """
            | empty request, before and after | \(taken.emptyRequestsPerSecond.map(text).joined(separator: ", ")) | \
            | \(text(empty.p50Milliseconds)) | \(text(empty.p99Milliseconds)) | |
            """,
            """
            | report taken | \(text(taken.reportsPerSecond)) | \(text(taken.ratio)) \
            | \(text(latency.p50Milliseconds)) | \(text(latency.p99Milliseconds)) \
            | ≥ \(text(Aim.shareOfEmptyRequests)) of empty requests |
            """,
            "", "\(taken.applied) of \(taken.answered) reports were kept as those of a delivery.",
        ]
    }

    private var sentTable: [String] {
        let rate = text(eventsPerSecond)
        var lines = [
            """
            | The last of \(endpoints) endpoints | events/s to all that answer | to the other \(endpoints - 1) \
            | of those while all answer | p50 ms at \(rate) events/s | p99 ms |
            """,
            "|---|---|---|---|---|---|",
        ]
        for one in sent {
            let share = sent.first.map { one.perSecondToOthers / $0.perSecondToOthers } ?? 0
            lines.append(
                """
                | \(name(one.last)) | \(text(one.perSecond)) | \(text(one.perSecondToOthers)) | \(text(share)) \
                | \(text(one.p50Milliseconds)) | \(text(one.p99Milliseconds)) |
                """)
        }
        return lines
    }

    private var drainedTable: [String] {
        [
            "| \(drained.queued) events wait for \(endpoints) endpoints | |", "|---|---|",
            "| resident memory of partners before, MiB | \(text(drained.before)) |",
            "| with the queue, endpoints disabled | \(text(drained.waiting)) |",
            "| endpoints enabled | \(text(drained.enabled)) |",
            "| while the queue drains, highest | \(text(drained.highestDraining)) |",
            "| at the end | \(text(drained.afterDraining)) |",
            "| events/s in \(text(drained.seconds)) s | \(text(drained.drainedPerSecond)) |",
        ]
    }

    private var processorTable: [String] {
        let all = sent.first?.cpuMillisecondsPerEvent ?? [:]
        var lines = ["| CPU ms | a report | an event sent |", "|---|---|---|"]
        for (name, milliseconds) in taken.cpuMillisecondsPerReport.sorted(by: { $0.key < $1.key }) {
            lines.append("| \(name) | \(text(milliseconds)) | \(text(all[name] ?? 0)) |")
        }
        return lines
    }

    private func name(_ last: LastEndpoint) -> String {
        switch last {
        case .answers: "answers, as all do"
        case .refuses: "has nobody who listens"
        case .isSilent: "accepts, and never answers"
        }
    }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 1_000).rounded() / 1_000)
    }
}
