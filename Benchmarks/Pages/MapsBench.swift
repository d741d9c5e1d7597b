import ArgumentParser
import ServiceRuntime

/// Measures customers' maps: the cost of open ones whose couriers move, above that of pages that wait.
struct MapsBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "maps", abstract: "Measure customers' maps: open ones whose couriers stand, and then move.")

    /// Connections to `orders`, each with a token of its own.
    private static let connections = 64
    /// Seconds between two updates of couriers' places, as `courier-eta` writes them.
    private static let secondsBetweenPlaces = 5.0
    /// A courier on a bicycle.
    private static let metersPerSecond = 4.0
    private static let metersPerDegree = 111_195.0

    @OptionGroup var target: StackOptions
    @Option(positive: "Maps that are opened, each of a delivery and a courier of its own.") var maps = 10_000
    @Option(positive: "Seconds for which all maps wait, and then move.") var seconds = 60.0

    func measure(on stack: Stack) async throws -> Report {
        let machine = try Machine(stack: stack)
        let eventLoop = try EventLoop(
            stack: stack, storeTokens: try await Tokens(of: stack).tokens(.store, count: Self.connections))
        Bench.log("placing \(maps) deliveries")
        let linked = try LinkedDeliveries.place(maps, on: eventLoop)
        Bench.log("sending their couriers on the way")
        try send(linked.ids, on: eventLoop)
        try waitUntil("courier-eta knows every delivery on its way") {
            let known = """
                SELECT count(*) FROM courier_eta.deliveries WHERE snapshot->'delivery'->'status'->>'status' = 'en_route'
                """
            return try stack.count(known) == maps
        }
        try move(after: 0, on: stack)
        _ = try stack.query("ANALYZE")

        Bench.log("opening \(maps) pages")
        for path in linked.paths {
            try eventLoop.pages.open(path)
            try eventLoop.run { eventLoop.pages.opensAt <= now() && eventLoop.pages.opening < 64 }
        }
        try eventLoop.run { eventLoop.pages.complete == maps }
        try eventLoop.run(seconds: 20)
        let (standing, _) = try measure("couriers stand", metersPerSecond: 0, on: stack, eventLoop)
        let (moving, events) = try measure(
            "couriers move", metersPerSecond: Self.metersPerSecond, on: stack, eventLoop)
        return report(machine, standing, moving, events, streamsEnded: eventLoop.pages.ended)
    }

    /// Gives each delivery a courier, and sets it on its way.
    private func send(_ ids: [String], on eventLoop: EventLoop) throws {
        for (number, id) in ids.enumerated() {
            let body = #"{"courier":{"id":"courier-\#(number)","name":"Mira","vehicle":"bicycle"}}"#
            try eventLoop.require(
                Request(method: "PUT", path: "/v1/deliveries/\(id)/courier", body: body), "assigning a courier")
        }
        try eventLoop.settle()
        for status in ["picked_up", "en_route"] {
            for id in ids { try eventLoop.require(.move(id, to: status), "moving a delivery to \(status)") }
            try eventLoop.settle()
        }
    }

    /// Waits for as long, while couriers send their places.
    ///
    /// - Returns: seconds of processor time by process, and the events of maps.
    private func measure(
        _ what: String, metersPerSecond: Double, on stack: Stack, _ eventLoop: EventLoop
    ) throws -> (cpu: [String: Double], events: Int) {
        Bench.log("\(what), for \(seconds) s")
        let (before, events) = (ProcessUsage(of: stack), eventLoop.pages.maps)
        var passed = 0.0
        while passed < seconds {
            try move(after: passed * metersPerSecond, on: stack)
            try eventLoop.run(seconds: Self.secondsBetweenPlaces)
            passed += Self.secondsBetweenPlaces
        }
        return (ProcessUsage(of: stack).seconds(since: before), eventLoop.pages.maps - events)
    }

    /// Writes a place of every courier, so many metres on their way.
    private func move(after meters: Double, on stack: Stack) throws {
        _ = try stack.query(
            """
            INSERT INTO courier_eta.couriers (courier_id, latest_at, seen_at, seen_latitude, seen_longitude, revision)
            SELECT 'courier-' || number, now(), now(),
                55.65 + (number % 500 + \(meters)) / \(Self.metersPerDegree), 12.5942, 1
            FROM generate_series(0, \(maps - 1)) AS number
            ON CONFLICT (courier_id) DO UPDATE SET latest_at = now(), seen_at = now(),
                seen_latitude = excluded.seen_latitude, seen_longitude = excluded.seen_longitude
            """)
    }

    private func report(
        _ machine: Machine, _ standing: [String: Double], _ moving: [String: Double], _ events: Int, streamsEnded: Int
    ) -> Report {
        var report = Report(
            of: machine,
            [
                "maps": maps, "seconds": seconds, "standingCPUSeconds": standing, "movingCPUSeconds": moving,
                "events": events, "streamsEnded": streamsEnded,
            ])
        func cores(_ cpu: [String: Double]) -> Double {
            // Without Postgres's writes of the places, which ingest makes anyway.
            ["orders", "courier-eta", "nats"].compactMap { cpu[$0] }.reduce(0, +) / seconds
        }
        report.add(
            "\(maps) open maps, \(seconds.text) s",
            [
                Figure("cores of the services and the broker while couriers stand", cores(standing)),
                Figure("cores while couriers move", cores(moving), "", .atMost(0.25)),
                Figure("events of maps a second", Double(events) / seconds),
                Figure("streams of pages that the service ended or refused", streamsEnded, aim: "0"),
            ])
        report.add(processes: [
            "cores while couriers stand": standing.mapValues { $0 / seconds },
            "cores while couriers move": moving.mapValues { $0 / seconds },
        ])
        return report
    }
}
