import Foundation
import ServiceRuntime

/// Measures customers' pages: the first one, what open ones cost that wait, and how soon they show a change.
enum PagesBench {
    static func measure(_ settings: PagesSettings) async throws -> PagesReport {
        let stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        let eventLoop = try EventLoop(
            stack: stack,
            storeTokens: try await PlacedLoad.tokens(signer, .store, count: PagesSettings.connections))
        Bench.log("placing \(settings.deliveries) deliveries")
        let linked = try LinkedDeliveries.place(settings.deliveries, on: eventLoop)
        _ = try stack.query("ANALYZE")

        Bench.log("asking for \(PagesSettings.firstPages) first pages")
        let first = try FirstPages(of: linked.paths, count: PagesSettings.firstPages, port: stack.ordersPort)
        try eventLoop.run(seconds: 5)
        Bench.log("idling for \(settings.seconds) s")
        let idle = ProcessUsage(of: stack)
        try eventLoop.run(seconds: settings.seconds)
        let before = ProcessUsage(of: stack)

        let load = PageLoad(deliveries: linked.ids, pages: settings.pages, eventLoop: eventLoop)
        try open(settings.pages, of: linked, on: eventLoop)
        let open = ProcessUsage(of: stack)
        Bench.log("waiting for \(settings.seconds) s")
        try eventLoop.run(seconds: settings.seconds)
        let waited = ProcessUsage(of: stack)

        Bench.log("\(settings.rate) changes/s for \(settings.seconds) s")
        try load.send(changesPerSecond: settings.rate, seconds: settings.seconds)
        let changed = ProcessUsage(of: stack)
        return PagesReport(
            machine: machine, pages: settings.pages, deliveries: settings.deliveries, seconds: settings.seconds,
            first: first, memoryBefore: before.memory, memoryOpen: waited.memory,
            idleCPUSeconds: before.seconds(since: idle), waitingCPUSeconds: waited.seconds(since: open),
            changingCPUSeconds: changed.seconds(since: waited), changesPerSecond: settings.rate,
            changes: try load.settle(), streamsEnded: eventLoop.pages.ended)
    }

    /// Opens pages in the order of the deliveries, again and again, and waits until each is complete.
    private static func open(_ pages: Int, of linked: LinkedDeliveries, on eventLoop: EventLoop) throws {
        Bench.log("opening \(pages) pages")
        for page in 0..<pages {
            try eventLoop.pages.open(linked.paths[page % linked.paths.count])
            // Fewer at once than the service takes on.
            try eventLoop.run { eventLoop.pages.opensAt <= now() && eventLoop.pages.opening < 64 }
        }
        try eventLoop.run { eventLoop.pages.complete == pages }
        // One heartbeat of each, which is when a stream has all that it keeps.
        try eventLoop.run(seconds: 20)
    }
}
