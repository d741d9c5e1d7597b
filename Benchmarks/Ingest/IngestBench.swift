import ArgumentParser
import Foundation
import ServiceRuntime

/// Measures fixes a second that `courier-eta` makes durable and estimates from, against its own empty requests.
///
/// `orders` and `activity-dispatch` are stopped after the set-up: the benchmark measures one `courier-eta` with its
/// database, its broker and the load.
struct IngestBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Measure couriers' fixes a second, beside empty requests.")

    /// Fixes in each request of the second part.
    private static let batch = 10
    /// Seconds of the empty requests before the fixes, and of those after them.
    private static let emptySeconds = 8.0

    @OptionGroup var target: StackOptions
    @Option(positive: "Couriers on the way.") var couriers = 4_000
    @Option(positive: "Requests in flight at once.") var connections = 128
    @Option(positive: "Seconds of each of the measured parts.") var seconds = 20.0

    /// One part of the run, by the size of its requests.
    private struct Part: Encodable {
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

    func measure(on stack: Stack) async throws -> Report {
        var stack = stack
        let machine = try Machine(stack: stack)
        Bench.log("fitting a model")
        try LearnedModel.install(on: stack)
        try stack.stop(["courier-eta"])
        stack = try stack.starting("courier-eta", port: stack.courierETAPort)
        let operators = try await Tokens(of: stack).tokens(.operator, count: connections)
        let loop = try ClosedLoad(port: stack.courierETAPort, connections: connections)
        let residentBefore = try ProcessUsage.resident("courier-eta", of: stack)
        Bench.log("\(couriers) couriers: publishing deliveries, enrolling phones")
        let fleet = try CourierFleet.create(couriers: couriers, stack: stack, loop: loop, operators: operators)
        try stack.stop(["activity-dispatch", "orders"])
        _ = try stack.query("VACUUM ANALYZE")

        Bench.log("warming up")
        for _ in 0..<2 { try loop.run(count: couriers, call: Self.call(fleet, fixes: 1), answered: Self.check(1)) }
        let before = try empty(on: loop, fleet)
        Bench.log("one fix a request")
        let startedAt = Date()
        let single = try part(of: stack, loop, fleet, fixes: 1)
        let estimated = try stack.count(
            """
            SELECT count(*) FROM courier_eta.deliveries
            WHERE (tracking -> 'estimate' ->> 'madeAt')::double precision >= \(startedAt.timeIntervalSinceReferenceDate)
            """)
        Bench.log("\(Self.batch) fixes a request")
        let batched = try part(of: stack, loop, fleet, fixes: Self.batch)
        let empty = [before, try empty(on: loop, fleet)]
        return report(
            machine, empty: empty, single, batched, estimated: estimated, residentBefore: residentBefore,
            residentAfter: try ProcessUsage.resident("courier-eta", of: stack))
    }

    private func report(
        _ machine: Machine, empty: [Double], _ single: Part, _ batched: Part, estimated: Int, residentBefore: Double,
        residentAfter: Double
    ) -> Report {
        let mean = empty.reduce(0, +) / Double(empty.count)
        let ratio = (single.fixesPerSecond / mean).rounded(to: 3)
        let ratioBatched = (batched.fixesPerSecond / mean).rounded(to: 3)
        let kibibytes = ((residentAfter - residentBefore) * 1_024 / Double(couriers)).rounded(to: 1)
        let rounded = empty.map { $0.rounded() }
        var report = Report(
            of: machine,
            [
                "couriers": couriers, "connections": connections, "emptyRequestsPerSecond": rounded, "single": single,
                "batched": batched, "ratio": ratio, "ratioBatched": ratioBatched, "estimated": estimated,
                "residentMebibytesBefore": residentBefore, "residentMebibytesAfter": residentAfter,
                "kibibytesPerCourier": kibibytes,
            ])
        func row(_ name: String, _ part: Part, _ ratio: Double) -> [any Cell] {
            [
                name, part.requestsPerSecond, part.fixesPerSecond, ratio.percent, part.latency.p50Milliseconds,
                part.latency.p99Milliseconds,
            ]
        }
        report.add(
            ["\(couriers) couriers on the way", "requests/s", "fixes/s", "of empty requests", "p50 ms", "p99 ms"],
            [
                ["empty request, before and after", rounded.map(\.text).joined(separator: ", "), "", "", "", ""],
                row("one fix a request", single, ratio),
                row("\(Self.batch) fixes a request", batched, ratioBatched),
            ])
        report.add(
            """
            \(estimated) of \(couriers) deliveries were estimated anew while single fixes came. \
            Resident memory of courier-eta: \(residentBefore.text) MiB before, \(residentAfter.text) MiB after: \
            \(kibibytes.text) KiB a courier.
            """)
        report.add(processes: [
            "CPU ms a fix, one a request": single.cpuMillisecondsPerFix,
            "\(Self.batch) a request": batched.cpuMillisecondsPerFix,
        ])
        report.add("\(connections) connections.")
        return report
    }

    /// - Returns: empty requests a second.
    private func empty(on loop: ClosedLoad, _ fleet: CourierFleet) throws -> Double {
        Bench.log("empty requests")
        return try loop.run(seconds: Self.emptySeconds, call: Self.call(fleet, fixes: 0), answered: Self.check(0))
            .perSecond
    }

    private func part(of stack: Stack, _ loop: ClosedLoad, _ fleet: CourierFleet, fixes: Int) throws -> Part {
        let before = ProcessUsage(of: stack)
        let outcome = try loop.run(
            seconds: seconds, call: Self.call(fleet, fixes: fixes), answered: Self.check(fixes))
        let cpu = ProcessUsage(of: stack).millisecondsPerChange(since: before, changes: outcome.answered * fixes)
        return Part(outcome, fixesPerRequest: fixes, cpuMillisecondsPerFix: cpu)
    }

    private static func call(_ fleet: CourierFleet, fixes: Int) -> (Int) -> Request {
        { number in
            let courier = number % fleet.tokens.count
            return Request(
                method: "POST", path: "/v1/fixes",
                body: fixes == 0 ? #"{"fixes":[]}"# : fleet.body(of: courier, at: Date(), count: fixes),
                token: fleet.tokens[courier])
        }
    }

    /// Every fix is new, except a few with the moments of an earlier batch.
    private static func check(_ fixes: Int) -> (Int, Response) throws -> Void {
        let start = #"{"accepted":"#.utf8.count
        let enough = max(fixes - 3, min(fixes, 1))
        return { _, answer in
            guard answer.status == 200, let accepted = answer.body.number(at: start), accepted >= enough else {
                throw BenchFailure(answer.text)
            }
        }
    }
}
