import Foundation
import ServiceRuntime

/// Measures what a change costs, and what `activity-dispatch` holds, while few and while many cards are live.
enum CardsBench {
    static func measure(_ settings: CardsSettings) async throws -> CardsReport {
        let stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        let deliveries = Int(settings.rate * OpenLoad.secondsBetweenChanges)
        var customers: [String] = []
        for index in 0..<max(1, deliveries / Workload.deliveriesPerCustomer) {
            customers.append(try await Bench.token(signer, .customer, "bench-\(index)"))
        }
        let store = try await Bench.token(signer, .store, "bench")
        let eventLoop = try EventLoop(stack: stack, storeTokens: [store])
        let count = customers.count * Workload.deliveriesPerCustomer
        let workload = try Workload.create(deliveries: count, on: eventLoop, tokens: customers, now: Date())
        try eventLoop.run { eventLoop.versions.count == count }
        let load = OpenLoad(workload: workload, eventLoop: eventLoop)
        let meter = ResourceMeter(stack: stack)
        let rate = min(settings.rate, load.rateMax)

        var lines: [CardsReport.Line] = []
        let live = LiveCards(stack: stack)
        for cards in settings.counts {
            Bench.log("adding live cards, until there are \(cards)")
            try live.fill(to: cards)
            _ = try load.step(changesPerSecond: rate, seconds: 5)
            Bench.log("\(rate) changes/s for \(settings.seconds) s")
            let step = try meter.step(load, changesPerSecond: rate, seconds: settings.seconds)
            lines.append(
                CardsReport.Line(
                    cards: try live.count(), step: step,
                    residentMebibytes: ProcessUsage(of: stack).memory["activity-dispatch"]?.residentMebibytes ?? 0))
        }
        return CardsReport(machine: machine, lines: lines)
    }
}
