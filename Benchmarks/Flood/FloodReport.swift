/// The results of a run of the flood benchmark.
struct FloodReport: BenchReport {
    /// The targets for the figures.
    enum Aim {
        static let arrivalMilliseconds = 1_000.0
        static let livenessMilliseconds = 1_000.0
    }

    /// What was measured while there was a flood, or none.
    struct Period: Encodable {
        /// Until the last change had arrived.
        let seconds: Double
        let others: OpenLoad.Outcome
        /// Of `/health/live`, by service.
        let liveness: [String: LivenessProbe.Outcome]
        /// Processor time by process; `load` is the benchmark, the flood included.
        let cpuSeconds: [String: Double]
        /// How much of the machine's processor time was used, by others' processes too.
        let busyShare: Double
        let memory: [String: ProcessUsage.Memory]

        /// Others' requests that were answered with 2xx, as a share of all.
        var servedShare: Double { Double(others.sent - others.refused) / Double(max(1, others.sent)) }
    }

    let machine: Machine
    let parts: [FloodPart]
    let deliveries: Int
    let devices: Int
    let quiet: Period
    let flooded: Period
    /// Answers to each part of the flood by status; 0 is a connection that ended without one.
    let answers: [FloodPart: [Int: Int]]

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let arrival = (quiet.others.fromDueToArrival, flooded.others.fromDueToArrival)
        var lines = [
            "| \(text(quiet.others.changesPerSecond)) changes/s of others | Quiet | Flood | Flood / quiet | Aim | |",
            "|---|---|---|---|---|---|",
            row("from request to screen, p50 ms", arrival.0.p50Milliseconds, arrival.1.p50Milliseconds),
            row(
                "from request to screen, p99 ms", arrival.0.p99Milliseconds, arrival.1.p99Milliseconds,
                aim: Aim.arrivalMilliseconds),
            row("from request to screen, highest ms", arrival.0.maxMilliseconds, arrival.1.maxMilliseconds),
            """
            | answered with 2xx | \(share(quiet.servedShare)) | \(share(flooded.servedShare)) | | | |
            | arrived | \(quiet.others.arrived) of \(quiet.others.sent) \
            | \(flooded.others.arrived) of \(flooded.others.sent) | | | |
            """,
        ]
        for name in Stack.services {
            guard let before = quiet.liveness[name], let during = flooded.liveness[name] else { continue }
            lines.append(
                row(
                    "`/health/live` of \(name), p99 ms", before.answers.p99Milliseconds, during.answers.p99Milliseconds,
                    aim: Aim.livenessMilliseconds))
            lines.append(row("… highest ms", before.answers.maxMilliseconds, during.answers.maxMilliseconds))
            lines.append("| … failed | \(failures(before)) | \(failures(during)) | | | |")
        }
        lines.append(
            "| the machine's processors, busy | \(share(quiet.busyShare)) | \(share(flooded.busyShare)) | | | |")
        lines += ["", "| Part of the flood | Requests answered | By status |", "|---|---|---|"]
        for part in parts {
            let counts = (answers[part] ?? [:]).sorted { $0.key < $1.key }
            let statuses = counts.map { "\($0.key == 0 ? "none" : String($0.key)): \($0.value)" }
            lines.append(
                "| \(part.rawValue) | \(counts.map(\.value).reduce(0, +)) | \(statuses.joined(separator: ", ")) |")
        }
        lines += [
            "", "| Process | CPU s, quiet | CPU s, flood | MiB, quiet | MiB, flood | MiB, highest |",
            "|---|---|---|---|---|---|",
        ]
        for (name, seconds) in flooded.cpuSeconds.sorted(by: { $0.key < $1.key }) {
            let memory = (quiet.memory[name], flooded.memory[name])
            let columns = [
                quiet.cpuSeconds[name], seconds, memory.0?.residentMebibytes, memory.1?.residentMebibytes,
                memory.1?.residentMebibytesMax,
            ]
            lines.append("| \(name) | \(columns.map { $0.map(text) ?? "" }.joined(separator: " | ")) |")
        }
        lines += [
            "",
            """
            \(text(quiet.seconds)) s quiet, \(text(flooded.seconds)) s of flood; others have \(deliveries) deliveries \
            and \(devices) devices. \(machine.summary)
            """,
        ]
        return lines.joined(separator: "\n")
    }

    private func row(_ figure: String, _ quiet: Double, _ flooded: Double, aim: Double? = nil) -> String {
        let ratio = quiet > 0 ? text((flooded / quiet * 10).rounded() / 10) : ""
        let verdict = aim.map { "≤ \(text($0)) | \(flooded <= $0 ? "reached" : "missed")" } ?? "|"
        return "| \(figure) | \(text(quiet)) | \(text(flooded)) | \(ratio) | \(verdict) |"
    }

    private func failures(_ outcome: LivenessProbe.Outcome) -> String {
        "\(outcome.failed) of \(outcome.answers.count)"
    }

    private func share(_ share: Double) -> String { "\(text((share * 1_000).rounded() / 10)) %" }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 100).rounded() / 100)
    }
}
