import ArgumentParser
import ServiceRuntime

/// Measures customers' pages: the first one, the cost of open ones that wait, and the latency of a change.
struct PagesBench: StackBenchmark {
    static let configuration = CommandConfiguration(
        commandName: "pages", abstract: "Measure customers' pages: the first one, open ones, and changes on them.")

    /// Pages of one delivery; the service accepts up to 4 from one address.
    private static let pagesPerDelivery = 4
    /// Requests for a first page.
    private static let firstPages = 200
    private static let answerSecondsMax = 30
    /// Connections to `orders`, each with a token of its own.
    private static let connections = 64

    @OptionGroup var target: StackOptions
    @Option(positive: "Pages that are opened, several of each delivery.") var pages = 10_000
    @Option(positive: "Changes a second while the pages are open.") var rate = 100.0
    @Option(positive: "Seconds for which the stack idles, then all pages wait, then deliveries change.")
    var seconds = 60.0

    /// Deliveries that are placed: more than the pages need where the rate needs more.
    private var deliveries: Int {
        max(pages / Self.pagesPerDelivery, Int((rate * OpenLoad.secondsBetweenChanges).rounded(.up)), 1)
    }

    func validate() throws {
        guard deliveries <= pages else {
            throw ValidationError("\(rate) changes/s need \(deliveries) deliveries, each with a page: raise --pages.")
        }
    }

    func measure(on stack: Stack) async throws -> Report {
        let machine = try Machine(stack: stack)
        let eventLoop = try EventLoop(
            stack: stack, storeTokens: try await Tokens(of: stack).tokens(.store, count: Self.connections))
        Bench.log("placing \(deliveries) deliveries")
        let linked = try LinkedDeliveries.place(deliveries, on: eventLoop)
        _ = try stack.query("ANALYZE")

        Bench.log("loading \(Self.firstPages) first pages")
        let first = try await FirstPage(of: linked.paths, count: Self.firstPages) {
            try Self.answer(on: $0, port: stack.ordersPort)
        }
        try eventLoop.run(seconds: 5)
        Bench.log("idling for \(seconds) s")
        let idle = ProcessUsage(of: stack)
        try eventLoop.run(seconds: seconds)
        let before = ProcessUsage(of: stack)

        let load = PageLoad(deliveries: linked.ids, pages: pages, eventLoop: eventLoop)
        try open(linked.paths, on: eventLoop)
        let open = ProcessUsage(of: stack)
        Bench.log("waiting for \(seconds) s")
        try eventLoop.run(seconds: seconds)
        let waited = ProcessUsage(of: stack)

        Bench.log("\(rate) changes/s for \(seconds) s")
        try load.send(changesPerSecond: rate, seconds: seconds)
        let changed = ProcessUsage(of: stack)
        let cpu = (
            idle: before.seconds(since: idle), waiting: waited.seconds(since: open),
            changing: changed.seconds(since: waited)
        )
        return report(machine, first, before, waited, cpu, try load.settle(), streamsEnded: eventLoop.pages.ended)
    }

    /// - Parameters:
    ///   - cpu: processor time by process while no page was open, while all waited, and while deliveries changed.
    ///   - streamsEnded: streams that the service ended or refused for now; each page connects again.
    private func report(
        _ machine: Machine, _ first: FirstPage, _ before: ProcessUsage, _ waited: ProcessUsage,
        _ cpu: (idle: [String: Double], waiting: [String: Double], changing: [String: Double]),
        _ changes: PageLoad.Outcome, streamsEnded: Int
    ) -> Report {
        var report = Report(
            of: machine,
            [
                "pages": pages, "deliveries": deliveries, "seconds": seconds, "first": first,
                "memoryBefore": before.memory, "memoryOpen": waited.memory, "idleCPUSeconds": cpu.idle,
                "waitingCPUSeconds": cpu.waiting, "changingCPUSeconds": cpu.changing, "changesPerSecond": rate,
                "changes": changes, "streamsEnded": streamsEnded,
            ])
        let perPage = waited.kibibytes(of: "orders", since: before) / Double(pages)
        let cores = (cpu.waiting.ofStack - cpu.idle.ofStack) / seconds
        report.add(
            "\(pages) open pages of \(deliveries) deliveries, \(seconds.text) s",
            first.figures(millisecondsMax: 10, kibibytesMax: 60) + [
                Figure("resident memory of orders an open page", perPage, "KiB"),
                Figure("cores while pages wait, all processes of the stack, above those of an idle one", cores),
                Figure("streams of pages that the service ended or refused", streamsEnded, aim: "0"),
                Figure(
                    "changes on pages at \(rate.text) changes/s", "\(changes.arrived) of \(changes.due)", aim: "all"),
                Figure(
                    "from a change's answer to each page, p50 and p99, ms", changes.fromAnswerToArrival.p50AndP99),
                Figure("from when a change was due to each page, likewise", changes.fromDueToArrival.p50AndP99),
            ])
        report.add(processes: [
            "MiB before": before.resident, "MiB with the pages": waited.resident,
            "cores before": cpu.idle.mapValues { $0 / seconds },
            "cores with the pages": cpu.waiting.mapValues { $0 / seconds },
            "cores at \(rate.text) changes/s": cpu.changing.mapValues { $0 / seconds },
        ])
        report.add(
            """
            \(changes.sent) changes, \(changes.refused) refused. \
            Bytes on the wire: \(first.bytes.mapValues(Double.init).listed).
            """)
        return report
    }

    /// The whole answer on a connection of its own, its head too.
    private static func answer(on path: String, port: Int) throws -> [UInt8] {
        let accept = path.hasPrefix("/assets/") ? "*/*" : "text/html"
        let request = Request(method: "GET", path: path, headers: ["Accept: \(accept)", "Accept-Encoding: gzip"])
        let socket = try Socket(port: port, receiveSeconds: answerSecondsMax)
        guard socket.exchange(request.bytes(port: port))?.status == 200 else {
            throw BenchFailure("GET \(path): \(String(decoding: socket.input.prefix(2_000), as: UTF8.self))")
        }
        return socket.input
    }

    /// Opens pages in the order of the deliveries, again and again, and waits until each is complete.
    private func open(_ paths: [String], on eventLoop: EventLoop) throws {
        Bench.log("opening \(pages) pages")
        for page in 0..<pages {
            try eventLoop.pages.open(paths[page % paths.count])
            // Fewer concurrent requests than the service accepts.
            try eventLoop.run { eventLoop.pages.opensAt <= now() && eventLoop.pages.opening < 64 }
        }
        try eventLoop.run { eventLoop.pages.complete == pages }
        // One heartbeat of each, which is when a stream has all that it keeps.
        try eventLoop.run(seconds: 20)
    }
}
