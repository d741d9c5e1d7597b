import APIClient
import ArgumentParser
import AsyncHTTPClient
import DoorstepAPI
import Foundation
import NIOHTTP1
import ServiceRuntime
import WireCoding

/// Measures the desk: its first page, the latency of a change on every open board, and its cost.
struct DeskBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "desk", abstract: "Measure the desk: its first page, and how soon a change is on every board.")

    /// Requests for a first page.
    private static let firstPages = 100
    /// Streams of one session; the desk accepts up to 12.
    private static let streamsPerSession = 10
    /// Connections to `orders`, each with a token of its own, while deliveries are placed.
    private static let connections = 32

    @OptionGroup var target: StackOptions
    @Option(positive: "Live deliveries.") var deliveries = 2_000
    @Option(positive: "Browsers with the board open.") var streams = 50
    @Option(positive: "Changes a second.") var rate = 20.0
    @Option(positive: "Seconds for which the desk idles, and for which deliveries change.") var seconds = 60.0

    func measure(on stack: Stack) async throws -> Report {
        let machine = try Machine(stack: stack)
        let tokens = try await Tokens(of: stack)
        let storeTokens = try await tokens.tokens(.store, count: Self.connections)
        Bench.log("placing \(deliveries) deliveries")
        _ = try Workload.place(
            deliveries, quantity: LinkedDeliveries.quantity, on: try EventLoop(stack: stack, storeTokens: storeTokens))
        _ = try stack.query("ANALYZE")
        let operatorToken = try await tokens.token(.operator, "bench")

        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = streams + 8
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            var browsers: [DeskBrowser] = []
            for _ in 0...(streams / Self.streamsPerSession) {
                browsers.append(try await .signIn(client: client, url: stack.deskURL, token: operatorToken))
            }
            return try await measure(stack, machine, client, browsers, storeToken: storeTokens[0])
        }
    }

    private func measure(
        _ stack: Stack, _ machine: Machine, _ client: HTTPClient, _ browsers: [DeskBrowser], storeToken: String
    ) async throws -> Report {
        try await waitForBoard(on: browsers[0])
        Bench.log("loading \(Self.firstPages) first pages")
        let first = try await FirstPage(of: ["/"], count: Self.firstPages, load: browsers[0].get)
        let shown = try await Self.shownDeliveries(on: browsers[0])
        try await Task.sleep(for: .seconds(5))
        Bench.log("idling for \(seconds) s")
        let idle = ProcessUsage(of: stack)
        try await Task.sleep(for: .seconds(seconds))
        let before = ProcessUsage(of: stack)

        let arrivals = BoardArrivals(deliveries: shown, streams: streams)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for stream in 0..<streams {
                let browser = browsers[stream / Self.streamsPerSession]
                group.addTask {
                    try? await browser.follow("/now/events?lane=fine") { event in
                        await arrivals.show(event, on: stream, at: now())
                    }
                }
            }
            try await Task.sleep(for: .seconds(5))
            Bench.log("\(rate) changes/s of \(shown.count) deliveries for \(seconds) s")
            let open = ProcessUsage(of: stack)
            let refused = try await change(
                shown, orders: "http://127.0.0.1:\(stack.ordersPort)", client: client, token: storeToken,
                arrivals: arrivals)
            let changed = ProcessUsage(of: stack)
            let deadline = now() + .seconds(OpenLoad.stragglerSeconds)
            while await arrivals.arrived < arrivals.due, now() < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
            group.cancelAll()
            let cpu = (idle: before.seconds(since: idle), changing: changed.seconds(since: open))
            return await report(machine, first, arrivals, refused: refused, cpu, before, changed)
        }
    }

    /// - Parameter cpu: processor time by process while no board was open, and while deliveries changed.
    private func report(
        _ machine: Machine, _ first: FirstPage, _ arrivals: BoardArrivals, refused: Int,
        _ cpu: (idle: [String: Double], changing: [String: Double]), _ before: ProcessUsage, _ changed: ProcessUsage
    ) async -> Report {
        let (due, arrived, distribution) = await (arrivals.due, arrivals.arrived, arrivals.distribution)
        var report = Report(
            of: machine,
            [
                "deliveries": deliveries, "streams": streams, "seconds": seconds, "changesPerSecond": rate,
                "first": first, "refused": refused, "due": due, "arrived": arrived,
                "fromAnswerToArrival": distribution, "idleCPUSeconds": cpu.idle, "changingCPUSeconds": cpu.changing,
                "memoryBefore": before.memory, "memory": changed.memory,
            ])
        report.add(
            "\(deliveries) live deliveries, \(streams) open boards, \(seconds.text) s",
            first.figures(millisecondsMax: 20, kibibytesMax: 100) + [
                Figure("changes on boards at \(rate.text) changes/s", "\(arrived) of \(due)", aim: "all"),
                Figure("from a change's answer to its row on each board, p50 and p99, ms", distribution.p50AndP99),
            ])
        report.add(processes: [
            "cores idle": cpu.idle.mapValues { $0 / seconds },
            "cores at \(rate.text) changes/s": cpu.changing.mapValues { $0 / seconds },
            "MiB before": before.resident, "MiB with the boards": changed.resident,
        ])
        report.add("\(refused) changes refused. Bytes: \(first.bytes.mapValues(Double.init).listed).")
        return report
    }

    /// The board is read when something has changed: it has all once it counts all.
    private func waitForBoard(on browser: DeskBrowser) async throws {
        let deadline = now() + .seconds(60)
        while true {
            let page = String(decoding: try await browser.get("/"), as: UTF8.self)
            if page.contains("<strong id=\"count-live\">\(deliveries)</strong>") { return }
            guard now() < deadline else { throw BenchFailure("the board does not have \(deliveries) deliveries") }
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private static func shownDeliveries(on browser: DeskBrowser) async throws -> [String] {
        let page = String(decoding: try await browser.get("/?lane=fine"), as: UTF8.self)
        let shown = page.matches(of: /data-id="([0-9a-f-]{36})"/).map { String($0.1) }
        guard !shown.isEmpty else { throw BenchFailure("no delivery is fine") }
        return shown
    }

    /// Changes the deliveries in turn at the rate, however slow the answers are.
    ///
    /// - Returns: changes that were refused.
    private func change(
        _ deliveries: [String], orders: String, client: HTTPClient, token: String, arrivals: BoardArrivals
    ) async throws -> Int {
        let start = now()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<Int(rate * seconds) {
                let dueAt = start + .seconds(Double(number) / rate)
                if dueAt > now() { try await Task.sleep(for: .nanoseconds(Int64(dueAt - now()))) }
                let delivery = deliveries[number % deliveries.count]
                let round = number / deliveries.count
                let change = Request.found(round + 1, ofItem: round % Workload.itemsPerDelivery + 1, in: delivery)
                group.addTask {
                    let answer = try await client.call(.PATCH, orders + change.path, body: change.body, token: token)
                    guard answer.isSuccess else { return false }
                    let version = try WireJSON.decode(DeliveryBody.self, from: answer.body).version
                    await arrivals.answer(delivery, version: version, dueAt: dueAt, at: now())
                    return true
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
        }
    }
}
