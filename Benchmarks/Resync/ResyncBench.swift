import Foundation
import ServiceRuntime

/// Measures a whole periodic round of the resync in the three services at once, with many deliveries live and ended, of
/// which some are not known as they are by the services that read them.
enum ResyncBench {
    /// Deliveries of which one is lost.
    private static let lostOneIn = 1_000
    private static let courier = """
        {"courier":{"id":"bench","name":"Bench","vehicle":"bicycle","phone":"+4512345678"}}
        """

    static func measure(_ settings: ResyncSettings) async throws -> ResyncReport {
        let stack = try Stack(folder: settings.folder)
        let placed = try await PlacedLoad(on: stack, rate: 2, connections: 1)
        let stored = try templates(on: stack, placed.eventLoop)
        Bench.log("storing \(settings.live) live and \(settings.ended) ended deliveries")
        try stored.insertLive(settings.live)
        try stored.insertEnded(settings.ended)
        let lost = try stored.lose(oneIn: lostOneIn, ofLive: settings.live)
        _ = try stack.query("VACUUM ANALYZE")

        let ports = [stack.ordersPort, stack.courierETAPort, stack.dispatchPort]
        let services = Array(zip(Stack.services, ports))
        func progress(_ service: (String, Int)) throws -> ResyncProgress {
            try ResyncProgress(port: service.1, schema: schema(service.0), stack: stack)
        }
        Bench.log("waiting for a round of \(settings.intervalSeconds) s")
        let begun = try services.map(progress)
        let (database, usage, start) = (try DatabaseCounters(of: stack), ProcessUsage(of: stack), now())
        var lines: [String: ResyncReport.Line] = [:]
        var seen = begun
        var passed = [Int](repeating: 0, count: services.count)
        // As late as a stack may be that cannot keep up.
        let end = start + .seconds(settings.intervalSeconds * 4 + 60)
        while lines.count < services.count {
            guard now() < end else { throw BenchFailure("no whole round within four intervals") }
            try placed.eventLoop.run(until: now() + 500 * .millisecond)
            for (index, service) in services.enumerated() where lines[service.0] == nil {
                let next = try progress(service)
                passed[index] += (next.slice - seen[index].slice + ResyncProgress.slices) % ResyncProgress.slices
                seen[index] = next
                guard passed[index] >= ResyncProgress.slices else { continue }
                lines[service.0] = line(service.0, from: begun[index], to: next, since: start)
            }
        }
        let roundsEnd = now()
        while try stored.countLost(oneIn: lostOneIn, ofLive: settings.live) > 0, now() < roundsEnd + .seconds(60) {
            try placed.eventLoop.run(until: now() + 500 * .millisecond)
        }
        let (databaseAfter, usageAfter) = (try DatabaseCounters(of: stack), ProcessUsage(of: stack))
        let outboxes = Stack.services.map { "(SELECT count(*) FROM \(schema($0)).outbox)" }
        let unsent = try stack.query("SELECT " + outboxes.joined(separator: " + "))
        let deliveries = settings.live + settings.ended
        return ResyncReport(
            machine: placed.machine, live: settings.live, ended: settings.ended,
            intervalSeconds: settings.intervalSeconds, lost: lost,
            notHealed: try stored.countLost(oneIn: lostOneIn, ofLive: settings.live),
            lines: Stack.services.compactMap { lines[$0] },
            cpuMillisecondsPerDelivery: usageAfter.millisecondsPerChange(since: usage, changes: deliveries),
            unsent: Int(unsent.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0,
            walBytesPerDelivery: Double(databaseAfter.walBytes - database.walBytes) / Double(deliveries))
    }

    private static func schema(_ service: String) -> String { service.replacing("-", with: "_") }

    private static func line(
        _ service: String, from begun: ResyncProgress, to end: ResyncProgress, since start: Instant
    ) -> ResyncReport.Line {
        let pages = end.pages - begun.pages
        let longest = end.longestPage(since: begun)
        return ResyncReport.Line(
            service: service, compared: Int(end.compared - begun.compared),
            republished: Int(end.republished - begun.republished), seconds: Double(now() - start) / 1e9,
            pages: Int(pages),
            meanPageMilliseconds: (end.pageSeconds - begun.pageSeconds) / max(1, pages) * 1_000,
            longestPageSeconds: longest.isFinite ? longest : nil)
    }

    /// Has three deliveries go through the services, one to its courier and one to its end.
    private static func templates(on stack: Stack, _ eventLoop: EventLoop) throws -> StoredDeliveries {
        let ids = try stack.query("SELECT delivery_id FROM orders.deliveries ORDER BY delivery_id LIMIT 3")
            .split(separator: "\n").map(String.init)
        guard ids.count == 3 else { throw BenchFailure("there are not three deliveries") }
        let calls = [
            Request(method: "POST", path: "/v1/deliveries/\(ids[1])/status", body: #"{"status":"staged"}"#),
            Request(method: "PUT", path: "/v1/deliveries/\(ids[1])/courier", body: courier),
            Request(method: "POST", path: "/v1/deliveries/\(ids[1])/status", body: #"{"status":"picked_up"}"#),
            Request(method: "POST", path: "/v1/deliveries/\(ids[2])/status", body: #"{"status":"cancelled"}"#),
        ]
        for call in calls {
            try eventLoop.orders.send(call) { answer in
                if answer.status != 200 { eventLoop.fail("\(call.method) \(call.path)", answer) }
            }
            try eventLoop.run { eventLoop.orders.inFlight == 0 }
        }
        let isThrough = """
            SELECT (SELECT count(*) FROM activity_dispatch.activities WHERE delivery_id = '\(ids[2])' AND is_ended)
                + (SELECT count(*) FROM activity_dispatch.activities WHERE delivery_id = '\(ids[1])' AND step > 0)
                + (SELECT count(*) FROM courier_eta.deliveries WHERE delivery_id IN ('\(ids[0])', '\(ids[1])')
                    AND ended_at IS NULL)
                + (SELECT count(*) FROM courier_eta.deliveries WHERE delivery_id = '\(ids[2])' AND ended_at IS NOT NULL)
            """
        try eventLoop.run { (try? stack.query(isThrough))?.hasPrefix("5") ?? false }
        return StoredDeliveries(stack: stack, picking: ids[0], onTheWay: ids[1], ended: ids[2])
    }
}
