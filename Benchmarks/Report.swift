import Foundation

/// The results of a run.
struct Report: BenchReport {
    /// The targets for the figures.
    enum Aim {
        static let p99Milliseconds = 150.0
        static let shareOfCeiling = 0.3
        static let residentMebibytes = 100.0
    }

    let machine: Machine
    let deliveries: Int
    let devices: Int
    let latency: Step
    let ramp: [Step]
    /// The most arrivals a second at a rate that was sustained.
    let sustainedChangesPerSecond: Double
    let ceiling: Ceiling
    let shareOfCeiling: Double
    let memory: [String: ProcessUsage.Memory]

    init(
        machine: Machine, deliveries: Int, devices: Int, latency: Step, ramp: [Step], ceiling: Ceiling,
        memory: [String: ProcessUsage.Memory]
    ) {
        self.machine = machine
        self.deliveries = deliveries
        self.devices = devices
        self.latency = latency
        self.ramp = ramp
        self.ceiling = ceiling
        self.memory = memory
        let kept = ([latency] + ramp).map(\.outcome).filter(\.isKeptUpWith).map(\.arrivalsPerSecond)
        sustainedChangesPerSecond = kept.max() ?? 0
        shareOfCeiling = (sustainedChangesPerSecond / ceiling.changesPerSecond * 1000).rounded() / 1000
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let latest = latency.outcome
        let arrival = latest.fromAnswerToArrival
        var lines = [
            "| Figure | Measured | Aim | |", "|---|---|---|---|",
            row(
                "p99 from answer to arrival at \(text(latest.changesPerSecond)) changes/s",
                "\(text(arrival.p99Milliseconds)) ms (p50 \(text(arrival.p50Milliseconds)) ms)",
                "≤ \(text(Aim.p99Milliseconds)) ms",
                latest.isKeptUpWith && arrival.p99Milliseconds <= Aim.p99Milliseconds),
            row(
                "sustained changes/s, of pgbench's \(text(ceiling.changesPerSecond))",
                "\(text(sustainedChangesPerSecond)) (\(text(shareOfCeiling * 100)) %)",
                "≥ \(text(Aim.shareOfCeiling * 100)) %", shareOfCeiling >= Aim.shareOfCeiling),
        ]
        for name in Stack.services {
            let resident = memory[name]?.residentMebibytesMax ?? 0
            lines.append(
                row(
                    "resident memory of \(name), at most", "\(text(resident)) MiB",
                    "< \(text(Aim.residentMebibytes)) MiB", resident < Aim.residentMebibytes))
        }
        lines += [
            "",
            "| changes/s | arrived in time | arrivals/s | p50 | p99 | from due, p99 | CPU ms per change | commits |",
        ]
        lines.append("|---|---|---|---|---|---|---|---|")
        for step in [latency] + ramp { lines.append(row(step)) }
        lines += ["", "| pgbench clients | changes/s |", "|---|---|"]
        for run in ceiling.measured { lines.append("| \(run.clients) | \(text(run.changesPerSecond)) |") }
        lines += [
            "",
            """
            One change is \(ceiling.transactionsPerChange) transactions with \(ceiling.statementsPerChange) statements \
            (\(ceiling.transactions.joined(separator: ", "))). \
            The draw of a delivery (\(text(ceiling.drawsPerSecond))/s alone) is taken off.
            """,
            "\(deliveries) deliveries, \(devices) devices with an open stream each.",
            machine.summary,
        ]
        return lines.joined(separator: "\n")
    }

    private func row(_ figure: String, _ measured: String, _ aim: String, _ isReached: Bool) -> String {
        "| \(figure) | \(measured) | \(aim) | \(isReached ? "reached" : "missed") |"
    }

    private func row(_ step: Step) -> String {
        let outcome = step.outcome
        let cpu = step.cpuMillisecondsPerChange.sorted { $0.key < $1.key }
            .map { "\($0.key) \(text($0.value))" }.joined(separator: ", ")
        return """
            | \(text(outcome.changesPerSecond)) | \(outcome.arrivedInTime) of \(outcome.sent) \
            | \(text(outcome.arrivalsPerSecond)) | \(text(outcome.fromAnswerToArrival.p50Milliseconds)) ms \
            | \(text(outcome.fromAnswerToArrival.p99Milliseconds)) ms \
            | \(text(outcome.fromDueToArrival.p99Milliseconds)) ms | \(cpu) | \(text(step.commitsPerChange)) |
            """
    }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 100).rounded() / 100)
    }
}
