import Foundation

/// The results of a run of the ingest benchmark.
struct IngestReport: BenchReport {
    struct Part: Encodable {
        let fixesPerRequest: Int
        let fixes: Int
        let fixesPerSecond: Double
        let requestsPerSecond: Double
        let latency: Distribution
        /// Milliseconds of processor time, by process.
        let cpuMillisecondsPerFix: [String: Double]

        init(_ outcome: ClosedLoad.Outcome, fixesPerRequest: Int, cpuMillisecondsPerFix: [String: Double]) {
            self.fixesPerRequest = fixesPerRequest
            fixes = outcome.answered * fixesPerRequest
            requestsPerSecond = outcome.perSecond.rounded()
            fixesPerSecond = (outcome.perSecond * Double(fixesPerRequest)).rounded()
            latency = Distribution(outcome.latencies)
            self.cpuMillisecondsPerFix = cpuMillisecondsPerFix
        }
    }

    let machine: Machine
    let couriers: Int
    let connections: Int
    /// Before the fixes and after them.
    let emptyRequestsPerSecond: [Double]
    let single: Part
    let batched: Part
    /// Fixes a second, one a request, as a share of empty requests a second.
    let ratio: Double
    let ratioBatched: Double
    /// Deliveries whose estimate was made while single fixes were measured.
    let estimated: Int
    let residentMebibytesBefore: Double
    let residentMebibytesAfter: Double
    let kibibytesPerCourier: Double

    init(
        machine: Machine, couriers: Int, connections: Int, empty: [Double], single: Part, batched: Part,
        estimated: Int, residentBefore: Double, residentAfter: Double
    ) {
        self.machine = machine
        self.couriers = couriers
        self.connections = connections
        emptyRequestsPerSecond = empty.map { $0.rounded() }
        self.single = single
        self.batched = batched
        let mean = empty.reduce(0, +) / Double(empty.count)
        ratio = (single.fixesPerSecond / mean * 1_000).rounded() / 1_000
        ratioBatched = (batched.fixesPerSecond / mean * 1_000).rounded() / 1_000
        self.estimated = estimated
        residentMebibytesBefore = residentBefore
        residentMebibytesAfter = residentAfter
        kibibytesPerCourier = ((residentAfter - residentBefore) * 1_024 / Double(couriers) * 10).rounded() / 10
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var lines = [
            "| \(couriers) couriers on the way | requests/s | fixes/s | of empty requests | p50 ms | p99 ms |",
            "|---|---|---|---|---|---|",
            "| empty request, before and after | \(emptyRequestsPerSecond.map(text).joined(separator: ", ")) | | | | |",
            row("one fix a request", single, ratio),
            row("\(batched.fixesPerRequest) fixes a request", batched, ratioBatched), "",
            """
            \(estimated) of \(couriers) deliveries were estimated anew while single fixes came. \
            Resident memory of courier-eta: \(text(residentMebibytesBefore)) MiB before, \
            \(text(residentMebibytesAfter)) MiB after: \(text(kibibytesPerCourier)) KiB a courier.
            """, "", "| CPU ms a fix | one a request | \(batched.fixesPerRequest) a request |", "|---|---|---|",
        ]
        for (name, single) in single.cpuMillisecondsPerFix.sorted(by: { $0.key < $1.key }) {
            lines.append("| \(name) | \(text(single)) | \(text(batched.cpuMillisecondsPerFix[name] ?? 0)) |")
        }
        lines += [
            "",
            """
            \(connections) connections. \(machine.summary)
            """,
        ]
        return lines.joined(separator: "\n")
    }

    private func row(_ name: String, _ part: Part, _ ratio: Double) -> String {
        """
        | \(name) | \(text(part.requestsPerSecond)) | \(text(part.fixesPerSecond)) | \(text(ratio * 100)) % \
        | \(text(part.latency.p50Milliseconds)) | \(text(part.latency.p99Milliseconds)) |
        """
    }

    private func text(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 1_000).rounded() / 1_000)
    }
}
