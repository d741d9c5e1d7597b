import Foundation
import ServiceRuntime

/// Measures what a change costs, and what `activity-dispatch` holds, while few and while many cards are live.
enum CardsBench {
    static func measure(_ settings: CardsSettings) async throws -> CardsReport {
        let stack = try Stack(folder: settings.folder)
        let placed = try await PlacedLoad(on: stack, rate: settings.rate, connections: 1)
        let load = placed.load
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
        return CardsReport(machine: placed.machine, lines: lines)
    }
}
