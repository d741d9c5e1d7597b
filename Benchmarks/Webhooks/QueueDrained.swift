import DoorstepAPI
import Foundation

/// The cost in `partners` of many events that wait for unreachable endpoints, and of draining them afterwards.
struct QueueDrained: Encodable {
    /// The interval in seconds within which `partners` reads its queue at least once.
    private static let sampleSeconds: UInt32 = 16

    /// Events that were made to wait, counted once for each endpoint.
    let queued: Int
    /// Resident memory of `partners`, in MiB.
    let before: Double
    let waiting: Double
    let enabled: Double
    let highestDraining: Double
    let afterDraining: Double
    /// Events that arrived in the measured time after every endpoint was enabled.
    let drained: Int
    let seconds: Double
    let drainedPerSecond: Double

    init(
        to endpoints: WebhookEndpoints, at receivers: WebhookReceivers, on stack: Stack, _ settings: WebhooksBench
    ) throws {
        let last = endpoints.others.upperBound..<endpoints.all.upperBound
        try endpoints.change(endpoints.all, ChangedEndpointBody(enabled: false))
        try waitUntil("no event is on its way") {
            try stack.count(
                """
                SELECT count(*) FROM partners.event_deliveries
                WHERE state = 'waiting' AND leased_until > clock_timestamp()
                """) == 0
        }
        _ = try stack.query("DELETE FROM partners.event_deliveries WHERE state = 'waiting'")
        try endpoints.change(last, ChangedEndpointBody(url: LastEndpoint.answers.url(at: receivers)))
        before = try Self.resident(stack)

        let events = max(1, settings.queued / endpoints.all.count)
        queued = events * endpoints.all.count
        Bench.log("queueing \(queued) events")
        try Self.queue(events, on: stack)
        sleep(Self.sampleSeconds)
        waiting = try Self.resident(stack)

        Bench.log("enabling the endpoints, draining for \(settings.seconds) s")
        receivers.arrivals.begin()
        try endpoints.change(endpoints.all, ChangedEndpointBody(enabled: true))
        let (begin, first) = (now(), receivers.arrivals.count(at: endpoints.all))
        let resident = try Self.resident(stack)
        enabled = resident
        var highest = resident
        let deadline = begin + .seconds(settings.seconds)
        while now() < deadline, receivers.arrivals.count(at: endpoints.all) < queued {
            usleep(200_000)
            highest = try max(highest, Self.resident(stack))
        }
        let arrived = receivers.arrivals.count(at: endpoints.all)
        let end = arrived < queued ? now() : max(begin, receivers.arrivals.lastAt(endpoints.all))
        highestDraining = highest
        afterDraining = try Self.resident(stack)
        drained = arrived - first
        seconds = (end - begin).inSeconds
        drainedPerSecond = drained == 0 ? 0 : (Double(drained) / seconds).rounded()
    }

    /// Queues `events` for every endpoint: copies of the newest event, a hundredth of a second apart.
    private static func queue(_ events: Int, on stack: Stack) throws {
        _ = try stack.query(
            """
            INSERT INTO partners.events (event_id, type, delivery_id, store_id, version, occurred_at, body, is_test)
            SELECT 'msg_queued_' || number, type, delivery_id, store_id, version, now(), body, is_test
            FROM (SELECT * FROM partners.events ORDER BY occurred_at DESC LIMIT 1) AS newest
            CROSS JOIN generate_series(1, \(events)) AS number
            """,
            """
            INSERT INTO partners.event_deliveries (endpoint_id, event_id, is_replay, due_at, created_at)
            SELECT endpoint_id, 'msg_queued_' || number, false, made_at, made_at
            FROM (SELECT number, now() - (\(events) - number) * interval '10 milliseconds' AS made_at
                FROM generate_series(1, \(events)) AS number) AS made
            CROSS JOIN partners.endpoints WHERE kind = 'webhook'
            """, "VACUUM ANALYZE partners.events, partners.event_deliveries")
    }

    private static func resident(_ stack: Stack) throws -> Double {
        try ProcessUsage.resident("partners", of: stack)
    }
}
