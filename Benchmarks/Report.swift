import Foundation

/// The results of a run.
struct Report: BenchReport {
    /// The targets for the figures.
    enum Aim {
        static let p50Milliseconds = 12.0
        static let p99Milliseconds = 60.0
        static let sustainedChangesPerSecond = 700.0
        static let shareOfHandWritten = 0.35
        static let coreMilliseconds = 2.5
        static let commits = 0.5
        static let residentMebibytes = 100.0
    }

    let machine: Machine
    let deliveries: Int
    let devices: Int
    let latency: Step
    let ramp: [Step]
    /// The most arrivals a second at a rate that was sustained.
    let sustainedChangesPerSecond: Double
    let handWritten: HandWrittenChange
    let shareOfHandWritten: Double
    let memory: [String: ProcessUsage.Memory]

    init(
        machine: Machine, deliveries: Int, devices: Int, latency: Step, ramp: [Step], handWritten: HandWrittenChange,
        memory: [String: ProcessUsage.Memory]
    ) {
        self.machine = machine
        self.deliveries = deliveries
        self.devices = devices
        self.latency = latency
        self.ramp = ramp
        self.handWritten = handWritten
        self.memory = memory
        sustainedChangesPerSecond = Self.sustained([latency] + ramp)?.outcome.arrivalsPerSecond ?? 0
        shareOfHandWritten = (sustainedChangesPerSecond / handWritten.changesPerSecond * 1000).rounded() / 1000
    }

    private static func sustained(_ steps: [Step]) -> Step? {
        steps.filter(\.outcome.isKeptUpWith).max { $0.outcome.arrivalsPerSecond < $1.outcome.arrivalsPerSecond }
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let latest = latency.outcome
        let arrival = latest.fromAnswerToArrival
        var lines = [
            "| Figure | Measured | Aim | |", "|---|---|---|---|",
            row(
                "p50 from answer to arrival at \(text(latest.changesPerSecond)) changes/s", "ms",
                arrival.p50Milliseconds, atMost: Aim.p50Milliseconds),
            row("p99 of the same", "ms", arrival.p99Milliseconds, atMost: Aim.p99Milliseconds),
            row("sustained changes/s", "", sustainedChangesPerSecond, atLeast: Aim.sustainedChangesPerSecond),
            row(
                "of the hand-written transaction's \(text(handWritten.changesPerSecond))/s", "", shareOfHandWritten,
                atLeast: Aim.shareOfHandWritten),
        ]
        if let sustained = Self.sustained([latency] + ramp) {
            lines += [
                row(
                    "core-milliseconds a change at that rate", "", sustained.coreMillisecondsPerChange,
                    atMost: Aim.coreMilliseconds),
                row("commits a change at that rate", "", sustained.commitsPerChange, atMost: Aim.commits),
            ]
        }
        for name in Stack.services {
            let resident = memory[name]?.residentMebibytesMax ?? 0
            lines.append(row("resident memory of \(name), at most", "MiB", resident, atMost: Aim.residentMebibytes))
        }
        lines += [
            "",
            "| changes/s | arrived in time | arrivals/s | p50 ms | p99 ms | from due, p99 ms | CPU ms a change | together |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for step in [latency] + ramp { lines.append(timing(step)) }
        lines += ["", "| changes/s | commits | statements | WAL bytes | stream bytes |", "|---|---|---|---|---|"]
        for step in [latency] + ramp { lines.append(counts(step)) }
        lines += ["", "| clients of the hand-written transaction | changes/s |", "|---|---|"]
        for run in handWritten.measured { lines.append("| \(run.clients) | \(text(run.changesPerSecond)) |") }
        lines += [
            "",
            """
            The hand-written transaction has \(handWritten.statements) statements and writes \
            \(text(handWritten.walBytesPerChange)) bytes of WAL.
            """,
            "\(deliveries) deliveries, \(devices) devices with an open stream each.",
            machine.summary,
            machine.packagesSummary,
        ]
        return lines.joined(separator: "\n")
    }

    private func row(
        _ figure: String, _ unit: String, _ measured: Double, atMost most: Double? = nil, atLeast least: Double? = nil
    ) -> String {
        let isReached = most.map { measured <= $0 } ?? true && least.map { measured >= $0 } ?? true
        let unit = unit.isEmpty ? "" : " \(unit)"
        let aim = [most.map { "≤ \(text($0))\(unit)" }, least.map { "≥ \(text($0))\(unit)" }].compactMap(\.self)
        return """
            | \(figure) | \(text(measured))\(unit) | \(aim.joined(separator: ", ")) \
            | \(isReached ? "reached" : "missed") |
            """
    }

    private func timing(_ step: Step) -> String {
        let outcome = step.outcome
        let cpu = step.cpuMillisecondsPerChange.sorted { $0.key < $1.key }
            .map { "\($0.key) \(text($0.value))" }.joined(separator: ", ")
        return """
            | \(text(outcome.changesPerSecond)) | \(outcome.arrivedInTime) of \(outcome.sent) \
            | \(text(outcome.arrivalsPerSecond)) | \(text(outcome.fromAnswerToArrival.p50Milliseconds)) \
            | \(text(outcome.fromAnswerToArrival.p99Milliseconds)) \
            | \(text(outcome.fromDueToArrival.p99Milliseconds)) | \(cpu) | \(text(step.coreMillisecondsPerChange)) |
            """
    }

    private func counts(_ step: Step) -> String {
        """
        | \(text(step.outcome.changesPerSecond)) | \(text(step.commitsPerChange)) | \(text(step.statementsPerChange)) \
        | \(text(step.walBytesPerChange)) | \(text(step.streamBytesPerChange)) |
        """
    }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 100).rounded() / 100)
    }
}
