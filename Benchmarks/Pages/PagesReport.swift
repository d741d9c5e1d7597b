import Foundation

/// The results of a run of the pages benchmark.
struct PagesReport: BenchReport {
    /// The targets for the figures.
    enum Aim {
        static let firstPageMilliseconds = 10.0
        static let loadedKibibytes = 60.0
    }

    let machine: Machine
    let pages: Int
    let deliveries: Int
    let seconds: Double
    let first: FirstPages
    let memoryBefore: [String: ProcessUsage.Memory]
    let memoryOpen: [String: ProcessUsage.Memory]
    /// Processor time by process while no page was open, for as long.
    let idleCPUSeconds: [String: Double]
    /// Processor time by process while all pages waited; `load` is the benchmark, which reads the heartbeats.
    let waitingCPUSeconds: [String: Double]
    /// Processor time by process while deliveries changed.
    let changingCPUSeconds: [String: Double]
    let changesPerSecond: Double
    let changes: PageLoad.Outcome
    /// Streams that the service ended or refused for now; each page connects again.
    let streamsEnded: Int

    /// Of the first page and of all that it loads.
    var loadedKibibytes: Double { Double(first.bytes.values.reduce(0, +)) / 1024 }

    /// Resident memory of `orders` for each open page.
    var kibibytesPerPage: Double {
        guard let before = memoryBefore["orders"], let open = memoryOpen["orders"] else { return .nan }
        return (open.residentMebibytes - before.residentMebibytes) * 1024 / Double(pages)
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let arrival = changes.fromAnswerToArrival
        let rate = text(changesPerSecond)
        var lines = [
            "| \(pages) open pages of \(deliveries) deliveries, \(text(seconds)) s | | Aim |", "|---|---|---|",
            """
            | first page until it is read, p50 and p99 of \(first.untilRead.count), ms \
            | \(text(first.untilRead.p50Milliseconds)), \(text(first.untilRead.p99Milliseconds)) \
            | \(text(Aim.firstPageMilliseconds)) |
            """,
            """
            | first page and all that it loads, on the wire, KiB | \(text(loadedKibibytes)) \
            | \(text(Aim.loadedKibibytes)) |
            """,
            "| resident memory of orders an open page, KiB | \(text(kibibytesPerPage)) | |",
            """
            | cores while pages wait, all processes of the stack, above those of an idle one \
            | \(text(cores(waitingCPUSeconds) - cores(idleCPUSeconds))) | |
            """,
            "| streams of pages that the service ended or refused | \(streamsEnded) | 0 |",
            "| changes on pages at \(rate) changes/s | \(changes.arrived) of \(changes.due) | all |",
            """
            | from a change's answer to each page, p50 and p99, ms \
            | \(text(arrival.p50Milliseconds)), \(text(arrival.p99Milliseconds)) | |
            """,
            "",
            """
            | Process | MiB before | MiB with the pages | cores before | cores with the pages \
            | cores at \(rate) changes/s |
            """,
            "|---|---|---|---|---|---|",
        ]
        for (name, cpu) in waitingCPUSeconds.sorted(by: { $0.key < $1.key }) {
            let columns = [
                memoryBefore[name].map { text($0.residentMebibytes) } ?? "",
                memoryOpen[name].map { text($0.residentMebibytes) } ?? "",
                text((idleCPUSeconds[name] ?? 0) / seconds), text(cpu / seconds),
                text((changingCPUSeconds[name] ?? 0) / seconds),
            ]
            lines.append("| \(name) | \(columns.joined(separator: " | ")) |")
        }
        let sizes = first.bytes.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
        lines += [
            "",
            """
            \(changes.sent) changes, \(changes.refused) refused; from when they were due to each page: p50 \
            \(text(changes.fromDueToArrival.p50Milliseconds)) ms, p99 \
            \(text(changes.fromDueToArrival.p99Milliseconds)) ms. Bytes on the wire: \(sizes.joined(separator: ", ")).
            """,
            machine.summary,
        ]
        return lines.joined(separator: "\n")
    }

    private func cores(_ cpu: [String: Double]) -> Double {
        cpu.filter { $0.key != "load" }.values.reduce(0, +) / seconds
    }

    private func text(_ number: Double) -> String {
        number.formatted(.number.grouping(.never).precision(.significantDigits(1...3)))
    }
}
