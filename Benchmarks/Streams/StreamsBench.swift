import ArgumentParser
import ServiceRuntime

/// Measures the cost of waiting device streams: resident memory each, and processor time of all of them together.
struct StreamsBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "streams", abstract: "Measure the cost of idle device streams.")

    /// Streams that one customer may have open.
    private static let streamsPerCustomer = 5

    @OptionGroup var target: StackOptions
    @Option(positive: "Streams that are opened, each of a device of its own.") var streams = 10_000
    @Option(positive: "Seconds for which all of them wait while processor time is counted.") var seconds = 60.0

    func measure(on stack: Stack) async throws -> Report {
        let machine = try Machine(stack: stack)
        let perCustomer = Self.streamsPerCustomer
        let customers = try await Tokens(of: stack)
            .tokens(.customer, count: (streams + perCustomer - 1) / perCustomer)
        let devices = (0..<streams).map { Device(id: "phone-\($0)", token: customers[$0 / perCustomer]) }

        let eventLoop = try EventLoop(stack: stack, storeTokens: [])
        Bench.log("registering \(streams) devices")
        try eventLoop.register(devices)
        try eventLoop.run(seconds: 5)
        Bench.log("idling for \(seconds) s")
        let idle = ProcessUsage(of: stack)
        try eventLoop.run(seconds: seconds)
        let before = ProcessUsage(of: stack)

        Bench.log("opening \(streams) streams")
        try eventLoop.openStreams(of: devices)
        // One heartbeat of each, which is when a stream has all that it keeps.
        try eventLoop.run(seconds: 20)
        let open = ProcessUsage(of: stack)
        Bench.log("waiting for \(seconds) s")
        try eventLoop.run(seconds: seconds)
        let after = ProcessUsage(of: stack)
        return report(machine, before, after, idle: before.seconds(since: idle), waiting: after.seconds(since: open))
    }

    /// - Parameters:
    ///   - idle: processor time by process while nothing waited.
    ///   - waiting: processor time by process while all streams waited; `load` reads the heartbeats.
    private func report(
        _ machine: Machine, _ before: ProcessUsage, _ after: ProcessUsage, idle: [String: Double],
        waiting: [String: Double]
    ) -> Report {
        var report = Report(
            of: machine,
            [
                "streams": streams, "seconds": seconds, "memoryBefore": before.memory, "memoryOpen": after.memory,
                "idleCPUSeconds": idle, "cpuSeconds": waiting,
            ])
        let memory = after.kibibytes(of: "activity-dispatch", since: before) / Double(streams)
        report.add(
            "\(streams) streams that wait, \(seconds.text) s",
            [
                Figure("resident memory a stream", memory, "KiB", .atMost(12)),
                Figure(
                    "cores, all processes of the stack, above those of an idle one",
                    (waiting.ofStack - idle.ofStack) / seconds, "", .atMost(0.05)),
            ])
        report.add(processes: [
            "MiB before": before.resident, "MiB with the streams": after.resident,
            "cores before": idle.mapValues { $0 / seconds },
            "cores with the streams": waiting.mapValues { $0 / seconds },
        ])
        return report
    }
}
