import DoorstepAPI
import Foundation

/// The behaviour of the last endpoint; all others accept events.
enum LastEndpoint: String, Encodable, CaseIterable {
    case answers
    /// The endpoint's address refuses connections.
    case refuses
    /// The endpoint accepts connections, and never answers.
    case isSilent

    /// The endpoint's behaviour, for the report.
    var behaviour: String {
        switch self {
        case .answers: "answers, as all do"
        case .refuses: "refuses connections"
        case .isSilent: "accepts, and never answers"
        }
    }

    func url(at receivers: WebhookReceivers) -> String {
        switch self {
        case .answers: receivers.urls[receivers.urls.count - 1]
        case .refuses: receivers.refusingURL
        case .isSilent: receivers.silentURL
        }
    }
}

/// The rate and latency of sent events, where one endpoint may be dead.
struct EventsSent: Encodable {
    let last: LastEndpoint
    /// Events of the measured rate, counted once for each endpoint that answers.
    let sent: Int
    /// The rate to all endpoints that answer.
    let perSecond: Double
    /// The rate to all endpoints except the last.
    let perSecondToOthers: Double
    /// Latencies from queueing an event to the answer of an endpoint other than the last, below the highest rate.
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    /// Milliseconds of processor time, by process, at the measured rate.
    let cpuMillisecondsPerEvent: [String: Double]

    init(
        _ last: LastEndpoint, to endpoints: WebhookEndpoints, at receivers: WebhookReceivers, on stack: Stack,
        _ settings: WebhooksBench
    ) throws {
        self.last = last
        let answering = last == .answers ? endpoints.all : endpoints.others
        try endpoints.change(
            endpoints.others.upperBound..<endpoints.all.upperBound,
            ChangedEndpointBody(url: last.url(at: receivers), enabled: true))
        Bench.log("the last endpoint \(last.rawValue): \(settings.rate) events/s for \(settings.seconds) s")
        let interval = Double(endpoints.all.count) / settings.rate
        let events = max(1, Int(settings.seconds / interval))
        let startedAt = Date()
        let begin = now()
        receivers.arrivals.begin()
        for number in 0..<events {
            let dueAt = begin + .seconds(Double(number) * interval)
            while now() < dueAt { usleep(1_000) }
            try endpoints.trigger(1)
        }
        try Self.wait(for: events, at: answering, receivers.arrivals)
        (p50Milliseconds, p99Milliseconds) = try Self.latency(
            since: startedAt, events: events * endpoints.others.count,
            toAllBut: endpoints.ids[endpoints.others.upperBound], on: stack)

        let burst = max(1, settings.sent / endpoints.all.count)
        Bench.log("the last endpoint \(last.rawValue): \(burst) events to each at once")
        receivers.arrivals.begin()
        let usage = ProcessUsage(of: stack)
        let start = now()
        try endpoints.trigger(burst)
        try Self.wait(for: burst, at: answering, receivers.arrivals)
        sent = burst * answering.count
        func rate(_ numbers: Range<Int>) -> Double {
            let seconds = (receivers.arrivals.lastAt(numbers) - start).inSeconds
            return (Double(burst * numbers.count) / seconds).rounded()
        }
        perSecond = rate(answering)
        perSecondToOthers = rate(endpoints.others)
        cpuMillisecondsPerEvent = ProcessUsage(of: stack).millisecondsPerChange(since: usage, changes: sent)
    }

    /// Sends a burst of events that is not measured, and updates the planner's statistics.
    ///
    /// Statements that were planned with the statistics of an empty queue would read the whole table.
    static func warmUp(
        _ endpoints: WebhookEndpoints, at receivers: WebhookReceivers, events: Int, on stack: Stack
    ) throws {
        Bench.log("warming up: \(events) events to each at once")
        receivers.arrivals.begin()
        try endpoints.trigger(events)
        try wait(for: events, at: endpoints.all, receivers.arrivals)
        _ = try stack.query("VACUUM ANALYZE")
    }

    private static func wait(for events: Int, at numbers: Range<Int>, _ arrivals: WebhookArrivals) throws {
        try waitUntil("every event has arrived", every: 5_000) { arrivals.count(at: numbers) >= events * numbers.count }
    }

    /// The latency of the attempts since a time, once `partners` has recorded all.
    private static func latency(
        since: Date, events: Int, toAllBut last: String, on stack: Stack
    ) throws -> (p50: Double, p99: Double) {
        let attempts = """
            FROM partners.event_deliveries JOIN partners.attempts USING (endpoint_id, event_id)
            WHERE created_at >= to_timestamp(\(since.timeIntervalSince1970)) AND endpoint_id <> '\(last)' AND status = 204
            """
        try waitUntil("what became of every event is stored") {
            try stack.count("SELECT count(*) \(attempts)") >= events
        }
        let answer = try stack.query(
            """
            SELECT array_to_string(percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY
                (extract(epoch FROM attempts.at - created_at) * 1000)::double precision + milliseconds), ' ')
            \(attempts)
            """)
        let numbers = answer.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else { throw BenchFailure("two percentiles were asked for, not \(answer)") }
        return (numbers[0].rounded(to: 1), numbers[1].rounded(to: 1))
    }
}
