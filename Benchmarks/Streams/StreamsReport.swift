import Foundation

/// The results of a run of the streams benchmark.
struct StreamsReport: BenchReport {
    /// The targets for the figures.
    enum Aim {
        static let kibibytesPerStream = 12.0
        static let cores = 0.05
    }

    let machine: Machine
    let streams: Int
    let seconds: Double
    let memoryBefore: [String: ProcessUsage.Memory]
    let memoryOpen: [String: ProcessUsage.Memory]
    /// Processor time by process while nothing waited, for as long.
    let idleCPUSeconds: [String: Double]
    /// Processor time by process while all streams waited; `load` is the benchmark, which reads the heartbeats.
    let cpuSeconds: [String: Double]

    /// Resident memory of `activity-dispatch` for each stream.
    var kibibytesPerStream: Double {
        let name = "activity-dispatch"
        guard let before = memoryBefore[name], let open = memoryOpen[name] else { return .nan }
        return (open.residentMebibytes - before.residentMebibytes) * 1024 / Double(streams)
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        func cores(_ cpu: [String: Double]) -> Double {
            cpu.filter { $0.key != "load" }.values.reduce(0, +) / seconds
        }
        var lines = [
            "| \(streams) streams that wait, \(text(seconds)) s | | Aim |", "|---|---|---|",
            "| resident memory a stream, KiB | \(text(kibibytesPerStream)) | \(text(Aim.kibibytesPerStream)) |",
            "| cores, all processes of the stack, above those of an idle one | "
                + "\(text(cores(cpuSeconds) - cores(idleCPUSeconds))) | \(text(Aim.cores)) |",
            "", "| Process | MiB before | MiB with the streams | cores before | cores with the streams |",
            "|---|---|---|---|---|",
        ]
        for (name, cpu) in cpuSeconds.sorted(by: { $0.key < $1.key }) {
            let columns = [
                memoryBefore[name].map { text($0.residentMebibytes) } ?? "",
                memoryOpen[name].map { text($0.residentMebibytes) } ?? "",
                text((idleCPUSeconds[name] ?? 0) / seconds), text(cpu / seconds),
            ]
            lines.append("| \(name) | \(columns.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n")
    }

    private func text(_ number: Double) -> String { number.formatted(.number.precision(.significantDigits(1...3))) }
}
