/// The rate of stored provider reports, compared with the same server's empty requests.
struct ReportsReceived: Encodable {
    private static let warmUpSeconds = 2.0
    private static let kept = "SELECT count(*) FROM partners.receipts WHERE state = 'applied'"
    private static let received = #"{"received":"#.utf8.count

    let connections: Int
    /// The rates of empty requests before and after the reports.
    let emptyRequestsPerSecond: [Double]
    let reportsPerSecond: Double
    /// Reports a second, as a share of empty requests a second.
    let ratio: Double
    let emptyLatency: Distribution
    let latency: Distribution
    let answered: Int
    /// Reports attributed to a delivery; every answered one, without a fault.
    let applied: Int
    /// Milliseconds of processor time, by process.
    let cpuMillisecondsPerReport: [String: Double]

    /// Measures them, and waits until everything that they led to is published.
    ///
    /// - Parameter token: an operator's.
    init(of deliveries: [String], on stack: Stack, _ settings: WebhooksBench, token: String) throws {
        let loop = try ClosedLoad(port: stack.partnersPort, connections: settings.connections)
        let reports = try UberReports(of: deliveries, on: loop, token: token)
        Bench.log("warming up")
        _ = try loop.run(
            seconds: Self.warmUpSeconds, call: { reports.request($0, of: "warm") }, answered: Self.requireReceived)
        Bench.log("empty requests")
        let before = try Self.empty(on: loop, seconds: settings.seconds)
        let keptBefore = try stack.count(Self.kept)
        Bench.log("reports")
        let usage = ProcessUsage(of: stack)
        let outcome = try loop.run(
            seconds: settings.seconds, call: { reports.request($0, of: "measured") }, answered: Self.requireReceived)
        cpuMillisecondsPerReport = ProcessUsage(of: stack)
            .millisecondsPerChange(since: usage, changes: outcome.answered)
        applied = try stack.count(Self.kept) - keptBefore
        Bench.log("empty requests")
        let after = try Self.empty(on: loop, seconds: settings.seconds)
        connections = settings.connections
        emptyRequestsPerSecond = [before.perSecond.rounded(), after.perSecond.rounded()]
        emptyLatency = Distribution(before.latencies + after.latencies)
        reportsPerSecond = outcome.perSecond.rounded()
        let mean = (before.perSecond + after.perSecond) / 2
        ratio = (outcome.perSecond / mean).rounded(to: 3)
        latency = Distribution(outcome.latencies)
        answered = outcome.answered
        try waitUntil("the outbox of partners is empty") {
            try stack.count("SELECT count(*) FROM partners.outbox") == 0
        }
    }

    private static func empty(on loop: ClosedLoad, seconds: Double) throws -> ClosedLoad.Outcome {
        try loop.run(
            seconds: seconds, call: { _ in Request(method: "GET", path: "/health/live") },
            answered: { _, answer in
                guard answer.status == 200 else { throw BenchFailure("an empty request: \(answer.status)") }
            })
    }

    private static func requireReceived(_ number: Int, _ answer: Response) throws {
        guard answer.status == 200, answer.body.number(at: received) == 1 else {
            throw BenchFailure("a report: \(answer.text)")
        }
    }
}
