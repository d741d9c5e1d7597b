import Foundation
import ServiceRuntime
import WireCoding

/// Measures what others notice of a flood: first without it, then during it, in the same run on the same stack.
///
/// The others are customers of another store, whose deliveries change at a modest, steady rate.
struct FloodBench {
    static func measure(_ settings: FloodSettings) async throws -> FloodReport {
        let stack = try Stack(folder: settings.folder)
        let placed = try await PlacedLoad(on: stack, rate: settings.rate, connections: settings.connections)
        let load = placed.load
        let callers = try await FloodCallers(signer: placed.signer, stack: stack)
        try registerDevices(settings.devices, of: callers.customer, on: placed.eventLoop)
        Bench.log("warming up")
        _ = try load.step(changesPerSecond: load.rateMax, seconds: 5)

        Bench.log("quiet")
        let quiet = try period(load, stack, seconds: settings.seconds)
        Bench.log("flood: \(settings.parts.map(\.rawValue).joined(separator: ", "))")
        let flood = Flood(settings: settings, stack: stack, callers: callers)
        try flood.start()
        let flooded = try period(load, stack, seconds: settings.seconds)
        try flood.stop()
        return FloodReport(
            machine: placed.machine, parts: settings.parts, deliveries: placed.deliveries, devices: placed.devices,
            quiet: quiet,
            flooded: flooded, answers: flood.answers)
    }

    /// One period of the others' load, with probes of every service beside it.
    private static func period(_ load: OpenLoad, _ stack: Stack, seconds: Double) throws -> FloodReport.Period {
        let threads = WorkThreads()
        let ports = [stack.ordersPort, stack.courierETAPort, stack.dispatchPort]
        let probes = zip(Stack.services, ports).map { name, port in
            let probe = LivenessProbe()
            threads.start("probe of \(name)") { probe.run(port: port, until: $0) }
            return (name, probe)
        }
        let before = ProcessUsage(of: stack)
        let startedAt = now()
        let others = try load.step(changesPerSecond: load.rateMax, seconds: seconds)
        let elapsed = (now() - startedAt).inSeconds
        let after = ProcessUsage(of: stack)
        try threads.stop()
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        return FloodReport.Period(
            seconds: (elapsed * 10).rounded() / 10, others: others,
            liveness: Dictionary(uniqueKeysWithValues: probes.map { ($0.0, $0.1.outcome) }),
            cpuSeconds: after.seconds(since: before),
            busyShare: ((after.machineSeconds - before.machineSeconds) / (elapsed * cores) * 1_000).rounded() / 1_000,
            memory: after.memory)
    }

    private static func registerDevices(_ count: Int, of customer: String, on eventLoop: EventLoop) throws {
        for index in 0..<count {
            let call = Request(
                method: "PUT", path: "/v1/devices/\(OrderFlood.device(index))", body: #"{"transport":"stream"}"#,
                token: customer)
            try eventLoop.dispatch.send(call) { answer in
                if answer.status != 200 { eventLoop.fail("registering a device of the flood", answer) }
            }
        }
        try eventLoop.run { eventLoop.dispatch.inFlight == 0 }
    }
}
