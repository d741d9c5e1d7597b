import Foundation

/// The results of a run of the desk's benchmark.
struct DeskReport: BenchReport {
    /// The targets for the figures.
    enum Aim {
        static let firstPageKibibytes = 100.0
        static let firstPageMilliseconds = 20.0
    }

    let machine: Machine
    let deliveries: Int
    let streams: Int
    let seconds: Double
    let changesPerSecond: Double
    let first: DeskFirstPage
    let refused: Int
    /// Answered changes, times the open boards.
    let due: Int
    let arrived: Int
    let fromAnswerToArrival: Distribution
    /// Processor time by process while no board was open, for as long.
    let idleCPUSeconds: [String: Double]
    let changingCPUSeconds: [String: Double]
    let memoryBefore: [String: ProcessUsage.Memory]
    let memory: [String: ProcessUsage.Memory]

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let rate = text(changesPerSecond)
        var lines = [
            "| \(deliveries) live deliveries, \(streams) open boards, \(text(seconds)) s | | Aim |", "|---|---|---|",
            """
            | first page until it is read, p50 and p99 of \(first.untilRead.count), ms \
            | \(text(first.untilRead.p50Milliseconds)), \(text(first.untilRead.p99Milliseconds)) \
            | \(text(Aim.firstPageMilliseconds)) |
            """,
            """
            | first page and all that it loads, on the wire, KiB | \(text(first.kibibytes)) \
            | \(text(Aim.firstPageKibibytes)) |
            """,
            "| changes on boards at \(rate) changes/s | \(arrived) of \(due) | all |",
            """
            | from a change's answer to its row on each board, p50 and p99, ms \
            | \(text(fromAnswerToArrival.p50Milliseconds)), \(text(fromAnswerToArrival.p99Milliseconds)) | |
            """,
            """
            | cores of desk, idle and at \(rate) changes/s | \(text((idleCPUSeconds["desk"] ?? 0) / seconds)), \
            \(text((changingCPUSeconds["desk"] ?? 0) / seconds)) | |
            """,
            """
            | resident memory of desk, before and with the boards, MiB \
            | \(text(memoryBefore["desk"]?.residentMebibytes ?? .nan)), \
            \(text(memory["desk"]?.residentMebibytes ?? .nan)) | |
            """,
            "", "| Process | cores idle | cores at \(rate) changes/s | MiB |", "|---|---|---|---|",
        ]
        for (name, cpu) in changingCPUSeconds.sorted(by: { $0.key < $1.key }) {
            let columns = [
                text((idleCPUSeconds[name] ?? 0) / seconds), text(cpu / seconds),
                memory[name].map { text($0.residentMebibytes) } ?? "",
            ]
            lines.append("| \(name) | \(columns.joined(separator: " | ")) |")
        }
        let sizes = first.bytes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
        lines += ["", "\(refused) changes refused. Bytes: \(sizes.joined(separator: ", ")).", machine.summary]
        return lines.joined(separator: "\n")
    }

    private func text(_ number: Double) -> String {
        number.formatted(.number.grouping(.never).precision(.significantDigits(1...3)))
    }
}
