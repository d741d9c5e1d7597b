import AsyncHTTPClient
import DoorstepAPI
import Foundation
import NIOCore
import NIOHTTP1
import ServiceRuntime
import WireCoding

/// Measures the desk: its first page, how soon a change is on every open board, and what that costs.
enum DeskBench {
    static func measure(_ settings: DeskSettings) async throws -> DeskReport {
        let stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        let storeTokens = try await PlacedLoad.tokens(signer, .store, count: DeskSettings.connections)
        Bench.log("placing \(settings.deliveries) deliveries")
        let eventLoop = try EventLoop(stack: stack, storeTokens: storeTokens)
        let customers = settings.deliveries / Workload.deliveriesPerCustomer
        _ = try Workload.place(
            customers: customers, quantity: LinkedDeliveries.quantity, on: eventLoop, now: Date())
        _ = try stack.query("ANALYZE")

        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.streams + 8
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let report = try await measure(
                settings, stack: stack, machine: machine, client: client, storeToken: storeTokens[0],
                operatorToken: try await Bench.token(signer, .operator, "bench"))
            try await client.shutdown()
            return report
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private static func measure(
        _ settings: DeskSettings, stack: Stack, machine: Machine, client: HTTPClient, storeToken: String,
        operatorToken: String
    ) async throws -> DeskReport {
        var browsers: [DeskBrowser] = []
        for _ in 0...(settings.streams / DeskSettings.streamsPerSession) {
            browsers.append(try await .signIn(client: client, url: stack.deskURL, token: operatorToken))
        }
        try await waitForBoard(settings.deliveries, on: browsers[0])
        Bench.log("asking for \(DeskSettings.firstPages) first pages")
        let first = try await DeskFirstPage(on: browsers[0], count: DeskSettings.firstPages)
        let shown = try await shownDeliveries(on: browsers[0])
        try await Task.sleep(for: .seconds(5))
        Bench.log("idling for \(settings.seconds) s")
        let idle = ProcessUsage(of: stack)
        try await Task.sleep(for: .seconds(settings.seconds))
        let before = ProcessUsage(of: stack)

        let arrivals = BoardArrivals(deliveries: shown, streams: settings.streams)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for stream in 0..<settings.streams {
                let browser = browsers[stream / DeskSettings.streamsPerSession]
                group.addTask {
                    try? await browser.follow("/now/events?lane=fine") { event in
                        await arrivals.show(event, on: stream, at: now())
                    }
                }
            }
            try await Task.sleep(for: .seconds(5))
            Bench.log("\(settings.rate) changes/s of \(shown.count) deliveries for \(settings.seconds) s")
            let open = ProcessUsage(of: stack)
            let refused = try await change(
                shown, settings, orders: "http://127.0.0.1:\(stack.ordersPort)", client: client, token: storeToken,
                arrivals: arrivals)
            let changed = ProcessUsage(of: stack)
            let deadline = now() + .seconds(OpenLoad.stragglerSeconds)
            var counts = await arrivals.counts
            while counts.arrived < counts.due, now() < deadline {
                try await Task.sleep(for: .milliseconds(50))
                counts = await arrivals.counts
            }
            group.cancelAll()
            return DeskReport(
                machine: machine, deliveries: settings.deliveries, streams: settings.streams,
                seconds: settings.seconds, changesPerSecond: settings.rate, first: first, refused: refused,
                due: counts.due, arrived: counts.arrived, fromAnswerToArrival: await arrivals.distribution,
                idleCPUSeconds: before.seconds(since: idle), changingCPUSeconds: changed.seconds(since: open),
                memoryBefore: before.memory, memory: changed.memory)
        }
    }

    /// The board is read when something has changed: it has all once it counts all.
    private static func waitForBoard(_ count: Int, on browser: DeskBrowser) async throws {
        let deadline = now() + .seconds(60)
        while true {
            let page = String(decoding: try await browser.get("/"), as: UTF8.self)
            if page.contains("<strong id=\"count-live\">\(count)</strong>") { return }
            guard now() < deadline else { throw BenchFailure("the board does not have \(count) deliveries") }
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
    private static func change(
        _ deliveries: [String], _ settings: DeskSettings, orders: String, client: HTTPClient, token: String,
        arrivals: BoardArrivals
    ) async throws -> Int {
        let start = now()
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<Int(settings.rate * settings.seconds) {
                let dueAt = start + .seconds(Double(number) / settings.rate)
                if dueAt > now() { try await Task.sleep(for: .nanoseconds(Int64(dueAt - now()))) }
                let delivery = deliveries[number % deliveries.count]
                let round = number / deliveries.count
                group.addTask {
                    var request = HTTPClientRequest(
                        url: "\(orders)/v1/deliveries/\(delivery)/items/item-\(round % Workload.itemsPerDelivery + 1)")
                    request.method = .PATCH
                    request.headers.add(name: "Authorization", value: "Bearer \(token)")
                    request.headers.add(name: "Content-Type", value: "application/json")
                    request.body = .bytes(ByteBuffer(string: #"{"status":"found","quantity":\#(round + 1)}"#))
                    let answer = try await client.execute(request, timeout: .seconds(30))
                    let body = Data(try await answer.body.collect(upTo: 100_000).readableBytesView)
                    guard answer.status == .ok else { return false }
                    let version = try WireJSON.decode(DeliveryBody.self, from: body).version
                    await arrivals.answer(delivery, version: version, dueAt: dueAt, at: now())
                    return true
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
        }
    }
}
