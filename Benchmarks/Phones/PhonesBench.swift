import ArgumentParser
import AsyncHTTPClient
import ServiceRuntime

/// Measures the time from a change's answer until an emulated phone shows it: outbox, broker, dispatch, and a push over
/// TLS that the stand-in for Apple's service accepts and the phone applies.
struct PhonesBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "phones", abstract: "Measure the time from a change until an emulated phone shows it.")

    /// Callers of `orders`, each with a token of its own, so that none meets its rate limit.
    private static let storeTokens = 32

    @OptionGroup var target: StackOptions
    @Option(positive: "Emulated phones, each of a customer with two deliveries.") var phones = 300
    @Option(positive: "Changes a second, until every delivery has changed once.") var rate = 40.0

    func measure(on stack: Stack) async throws -> Report {
        guard let emulator = stack.phonesURL else {
            throw BenchFailure("the stack has no phones; start it with DOORSTEP_PHONES=1")
        }
        let machine = try Machine(stack: stack)
        let tokens = try await Tokens(of: stack)
        let stores = try await tokens.tokens(.store, count: Self.storeTokens)
        let customers = try await tokens.tokens(.customer, count: phones)
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = phones + Self.storeTokens
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let run = PhonesRun(
                client: client, orders: "http://127.0.0.1:\(stack.ordersPort)", emulator: emulator, tokens: stores,
                rate: rate)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                Bench.log("adding \(phones) phones")
                for (index, token) in customers.enumerated() {
                    try await run.addPhone(index, token)
                    group.addTask { try await run.watch(index) }
                }
                let deliveries = try await run.placeOrders(customers: phones)
                let before = ProcessUsage(of: stack)
                Bench.log("packing \(deliveries.count) deliveries, \(rate) a second")
                let arrivals = try await run.load(deliveries)
                let cpu = ProcessUsage(of: stack).millisecondsPerChange(since: before, changes: arrivals.arrived)
                group.cancelAll()
                return report(machine, sent: deliveries.count, arrivals, cpu)
            }
        }
    }

    private func report(_ machine: Machine, sent: Int, _ arrivals: ChangeLatencies, _ cpu: [String: Double]) -> Report {
        let fromAnswer = Distribution(arrivals.fromAnswer)
        var report = Report(
            of: machine,
            [
                "phones": phones, "rate": rate, "sent": sent, "arrived": arrivals.arrived, "fromAnswer": fromAnswer,
                "cpuMillisecondsPerChange": cpu,
            ])
        report.add(
            "\(phones) emulated phones, \(rate.text) changes/s",
            [
                Figure("on their phones", "\(arrivals.arrived) of \(sent)"),
                Figure("from answer to phone, p50", fromAnswer.p50Milliseconds, "ms"),
                Figure("p90", fromAnswer.p90Milliseconds, "ms"),
                Figure("p99", fromAnswer.p99Milliseconds, "ms"),
                Figure("highest", fromAnswer.maxMilliseconds, "ms"),
                Figure("CPU ms a change", cpu.listed),
            ])
        return report
    }
}
