import Foundation

/// The results of a run of the phones benchmark.
struct PhonesReport: BenchReport {
    let machine: Machine
    let phones: Int
    let rate: Double
    let sent: Int
    let arrived: Int
    /// From a change's answer until its phone shows it.
    let fromAnswer: Distribution
    let cpuMillisecondsPerChange: [String: Double]

    init(
        machine: Machine, phones: Int, rate: Double, sent: Int, arrivals: ChangeLatencies,
        cpuMillisecondsPerChange: [String: Double]
    ) {
        self.machine = machine
        self.phones = phones
        self.rate = rate
        self.sent = sent
        arrived = arrivals.arrived
        fromAnswer = Distribution(arrivals.fromAnswer)
        self.cpuMillisecondsPerChange = cpuMillisecondsPerChange
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        let cpu = cpuMillisecondsPerChange.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            | \(phones) emulated phones, \(rate) changes/s | |
            |---|---|
            | on their phones | \(arrived) of \(sent) |
            | from answer to phone, p50 | \(fromAnswer.p50Milliseconds) ms |
            | p90 | \(fromAnswer.p90Milliseconds) ms |
            | p99 | \(fromAnswer.p99Milliseconds) ms |
            | highest | \(fromAnswer.maxMilliseconds) ms |
            | CPU ms a change | \(cpu.joined(separator: ", ")) |

            \(machine.summary)
            """
    }
}
