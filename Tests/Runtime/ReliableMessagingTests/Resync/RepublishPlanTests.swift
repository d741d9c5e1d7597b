import SeededRandom
import Testing

@testable import ReliableMessaging

@Suite("Plan of a round of republishing")
struct RepublishPlanTests {
    private let plan = RepublishPlan(interval: .seconds(600), pageRowsMax: 200)

    @Test("A round is spread evenly over its time", arguments: [0, 1, 7, 120, 1_000, 50_000])
    func evenly(_ total: Int) {
        var round = RepublishPlan.Round(lastTotal: total)
        var ticks: [Int] = []
        for tick in 0..<RepublishPlan.roundTicks {
            round.elapsed = plan.tick * tick
            let due = min(plan.due(in: round), total - round.done)
            ticks.append(due)
            round.done += due
        }
        #expect(round.done == total)
        let most = (Double(total) / Double(RepublishPlan.roundTicks)).rounded(.up)
        #expect(ticks.allSatisfy { Double($0) <= most })
    }

    @Test("The first round goes by pages")
    func byPages() {
        #expect(plan.due(in: .init()) == 200)
    }

    @Test("What is left near the end of a round is due at once, whatever the round before had")
    func rest() {
        #expect(plan.due(in: .init(elapsed: .seconds(285), done: 5_000, lastTotal: 10)) == .max)
        #expect(plan.due(in: .init(elapsed: .seconds(285), done: 0, lastTotal: 0)) == .max)
    }

    @Test("After a pause it catches up")
    func catchesUp() {
        #expect(plan.due(in: .init(elapsed: .seconds(140), done: 10, lastTotal: 1_160)) == 570)
    }

    @Test("The next round begins twice in an interval, when the one before is complete")
    func next() {
        let complete = RepublishPlan.Round(elapsed: .seconds(290), done: 7, lastTotal: 3, isComplete: true)
        #expect(plan.next(after: complete) == .init(lastTotal: 7))
        #expect(plan.next(after: .init(elapsed: .seconds(289), done: 7, isComplete: true)) == nil)
        #expect(plan.next(after: .init(elapsed: .seconds(900), done: 7)) == nil)
    }

    @Test("Whatever grows and shrinks, each row is republished within the interval of its last time", arguments: 0..<20)
    func always(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var publishedAt: [Int: Duration] = [:]
        var round = RepublishPlan.Round()
        var startedAt = Duration.zero
        var now = Duration.zero
        for _ in 0..<360 {
            // A tick may be late by a second.
            now += plan.tick + .milliseconds(Int.random(in: 0...1_000, using: &random))
            if random.once(in: 40) {
                for _ in 0..<Int.random(in: 1...600, using: &random) {
                    publishedAt[Int.random(in: 0..<1_000_000, using: &random)] = now
                }
            }
            if random.once(in: 60) { publishedAt = publishedAt.filter { $0.key % 7 == seed % 7 } }
            if random.once(in: 200) { publishedAt = [:] }

            round.elapsed = now - startedAt
            if let next = plan.next(after: round) {
                (round, startedAt) = (next, now)
            }
            var due = plan.due(in: round)
            let after = round.position.flatMap(Int.init) ?? -1
            var rest = publishedAt.keys.filter { $0 > after }.sorted()[...]
            while due > 0, !round.isComplete {
                let rowsMax = min(due, plan.pageRowsMax)
                let page = rest.prefix(rowsMax)
                rest = rest.dropFirst(rowsMax)
                for row in page { publishedAt[row] = now }
                round.advance(count: page.count, next: page.count < rowsMax ? nil : page.last.map { "\($0)" })
                due -= page.count
            }
            let oldest = publishedAt.values.map { now - $0 }.max() ?? .zero
            #expect(oldest <= plan.interval)
            guard oldest <= plan.interval else { return }
        }
    }
}
