import Foundation
import ServiceRuntime

/// Measures fixes a second that `courier-eta` makes durable and estimates from, against its own empty requests.
///
/// `orders` and `activity-dispatch` have done their part before and are stopped: what is measured is one `courier-eta`
/// with its database and its broker, and the load beside them.
struct IngestBench {
    /// Fixes in each request of the second part.
    static let batch = 10
    /// Seconds of the empty requests before the fixes, and of those after them.
    private static let emptySeconds = 8.0

    static func measure(_ settings: IngestSettings) async throws -> IngestReport {
        var stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        Bench.log("fitting a model")
        try LearnedModel.install(on: stack)
        stack = try stack.restarting("courier-eta", port: stack.courierETAPort)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        var operators: [String] = []
        for index in 0..<settings.connections {
            operators.append(try await Bench.token(signer, .operator, "bench-\(index)"))
        }
        let loop = try ClosedLoad(port: stack.courierETAPort, connections: settings.connections)
        let bare = try resident(stack)
        Bench.log("\(settings.couriers) couriers: publishing deliveries, enrolling phones")
        let fleet = try CourierFleet.create(couriers: settings.couriers, stack: stack, loop: loop, operators: operators)
        try stack.stop(["activity-dispatch", "orders"])
        _ = try stack.query("VACUUM ANALYZE")

        Bench.log("warming up")
        for _ in 0..<2 { try loop.run(count: settings.couriers, call: call(fleet, fixes: 1), answered: check(1)) }
        Bench.log("empty requests")
        let before = try loop.run(seconds: emptySeconds, call: call(fleet, fixes: 0), answered: check(0))
        Bench.log("one fix a request")
        let startedAt = Date()
        let single = try part(of: stack, loop, fleet, fixes: 1, seconds: settings.seconds)
        let estimated = try stack.count(
            """
            SELECT count(*) FROM courier_eta.deliveries
            WHERE (tracking -> 'estimate' ->> 'madeAt')::double precision >= \(startedAt.timeIntervalSinceReferenceDate)
            """)
        Bench.log("\(batch) fixes a request")
        let batched = try part(of: stack, loop, fleet, fixes: batch, seconds: settings.seconds)
        Bench.log("empty requests")
        let after = try loop.run(seconds: emptySeconds, call: call(fleet, fixes: 0), answered: check(0))
        return IngestReport(
            machine: machine, couriers: settings.couriers, connections: settings.connections,
            empty: [before.perSecond, after.perSecond], single: single, batched: batched, estimated: estimated,
            residentBefore: bare, residentAfter: try resident(stack))
    }

    private static func part(
        of stack: Stack, _ loop: ClosedLoad, _ fleet: CourierFleet, fixes: Int, seconds: Double
    ) throws -> IngestReport.Part {
        let before = ProcessUsage(of: stack)
        let outcome = try loop.run(seconds: seconds, call: call(fleet, fixes: fixes), answered: check(fixes))
        let cpu = ProcessUsage(of: stack).millisecondsPerChange(since: before, changes: outcome.answered * fixes)
        return IngestReport.Part(outcome, fixesPerRequest: fixes, cpuMillisecondsPerFix: cpu)
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

    /// Every fix is new, but for a few of a batch now and then that meet the moments of those before.
    private static func check(_ fixes: Int) -> (Int, Response) throws -> Void {
        let start = #"{"accepted":"#.utf8.count
        let enough = max(fixes - 3, min(fixes, 1))
        return { _, answer in
            guard answer.status == 200, let accepted = answer.body.number(at: start), accepted >= enough else {
                throw BenchFailure("\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
            }
        }
    }

    private static func resident(_ stack: Stack) throws -> Double {
        guard let memory = ProcessUsage(of: stack).memory["courier-eta"] else {
            throw BenchFailure("courier-eta does not run")
        }
        return memory.residentMebibytes
    }
}
