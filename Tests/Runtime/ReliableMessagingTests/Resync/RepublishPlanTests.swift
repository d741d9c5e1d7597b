import Foundation
import SeededRandom
import Testing

@testable import ReliableMessaging

@Suite("Plan of a round of republishing")
struct RepublishPlanTests {
    private let plan = RepublishPlan(interval: .seconds(600))
    private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private var tick: TimeInterval { plan.tick / .seconds(1) }
    private var interval: TimeInterval { plan.interval / .seconds(1) }

    private func round(_ slice: Int = 0, late: TimeInterval = 0, begunAt: Date? = nil) -> RepublishPlan.Round {
        .init(slice: slice, dueAt: start.addingTimeInterval(-late), begunAt: begunAt)
    }

    /// A slice of one page.
    private func next(_ round: RepublishPlan.Round, at now: Date) -> RepublishPlan.Round {
        var next = round
        plan.advance(&next, to: nil, at: now)
        return next
    }

    @Test("Every slice has a turn in an interval, the first follows the last, and there is time to be late")
    func turns() {
        #expect(tick * Double(RepublishSlice.count) < interval - 20)
        #expect(next(round(126), at: start).slice == 127 && next(round(127), at: start).slice == 0)
        #expect(next(round(), at: start).dueAt == start.addingTimeInterval(tick))
    }

    @Test("A slice of several pages is due until its last page, and the next a tick after it was")
    func pages() {
        var round = round(3)
        let begunAt = start.addingTimeInterval(1)
        plan.advance(&round, to: "b", at: begunAt)
        #expect(round == .init(slice: 3, position: "b", dueAt: start, begunAt: begunAt))
        #expect(plan.isDue(round, at: begunAt))
        plan.advance(&round, to: nil, at: start.addingTimeInterval(2))
        #expect(round == .init(slice: 4, dueAt: start.addingTimeInterval(tick), begunAt: begunAt))
        #expect(!plan.isDue(round, at: start.addingTimeInterval(2)))
    }

    @Test("What is late catches up with two slices a tick, and forgets nothing of it", arguments: [60.0, 86_400])
    func late(seconds: TimeInterval) {
        var round = round(late: seconds)
        var now = start
        var slices = 0
        while slices < 1_000 {
            #expect(plan.isDue(round, at: now))
            round = next(round, at: now)
            slices += 1
            #expect(!plan.isDue(round, at: now.addingTimeInterval(tick * 0.49)))
            now += tick * 0.51
            if !plan.isDue(round, at: now) { break }
        }
        // Of an interval at most.
        let missed = min(seconds, interval) / tick
        #expect(Double(slices) > missed * 1.9 && Double(slices) < missed * 2.2)
    }

    @Test("A clock that is set back, or forward, stops nothing")
    func clock() {
        for shift in [-86_400.0, 86_400] {
            let now = start.addingTimeInterval(shift)
            for begunAt in [nil, start] {
                #expect(plan.isDue(round(begunAt: begunAt), at: now))
                let after = next(round(begunAt: begunAt), at: now)
                #expect(after.dueAt <= now.addingTimeInterval(tick + 0.001))
                #expect(!plan.isDue(after, at: now) && plan.isDue(after, at: now.addingTimeInterval(tick + 0.001)))
            }
        }
    }

    /// A process that checks for slices which are due, a second late at most, and takes its time for them.
    private struct Process {
        let plan: RepublishPlan
        var round: RepublishPlan.Round
        var now: Date

        /// Republishes what is due at the next check.
        mutating func check(
            _ random: inout SeededGenerator, secondsPerSlice: Double, _ publish: (_ slice: Int, _ at: Date) -> Void
        ) {
            now += plan.poll / .seconds(1) + Double.random(in: 0...1, using: &random)
            while plan.isDue(round, at: now) {
                let (slice, lockedAt) = (round.slice, now)
                now += Double.random(in: 0...secondsPerSlice, using: &random)
                publish(slice, now)
                plan.advance(&round, to: nil, at: lockedAt)
            }
        }
    }

    @Test(
        "Whatever comes, grows and goes, each thing is republished within the interval of its last time",
        arguments: 0..<20)
    func always(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var process = Process(plan: plan, round: round(), now: start)
        // When it was published last, and its slice.
        var things: [Int: (at: Date, slice: Int)] = [:]
        var id = 0
        var worst = 0.0
        while process.now < start.addingTimeInterval(3_600) {
            if random.once(in: 40) {
                for _ in 0..<Int.random(in: 1...600, using: &random) {
                    things[id] = (process.now, Int.random(in: 0..<RepublishSlice.count, using: &random))
                    id += 1
                }
            }
            if random.once(in: 100) { things = things.filter { $0.key % 7 == seed % 7 } }
            if random.once(in: 300) { things = [:] }
            process.check(&random, secondsPerSlice: 3) { slice, at in
                for (id, thing) in things where thing.slice == slice {
                    worst = max(worst, at.timeIntervalSince(thing.at))
                    things[id] = (at, slice)
                }
            }
            worst = max(worst, things.values.map { process.now.timeIntervalSince($0.at) }.max() ?? 0)
        }
        #expect(worst <= interval, "\(worst) s")
    }

    @Test(
        "For up to 3,000,000 things that come in the middle of a round, no tick has more than half above its even share, and 32",
        arguments: 0..<8)
    func evenly(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var process = Process(plan: plan, round: round(), now: start)
        var slices = [Int](repeating: 0, count: RepublishSlice.count)
        // From none to many, as many at once as there may be.
        let total = seed == 0 ? 0 : seed == 1 ? 3_000_000 : Int(exp(Double.random(in: 0...14.9, using: &random)))
        let comesAt = start.addingTimeInterval(Double.random(in: 0...1_200, using: &random))
        var hasCome = false
        var published: [(at: Date, count: Int)] = []
        while process.now < start.addingTimeInterval(2_400) {
            if !hasCome, process.now >= comesAt {
                hasCome = true
                for _ in 0..<total { slices[Int(truncatingIfNeeded: random.next() & 127)] += 1 }
            }
            process.check(&random, secondsPerSlice: 1) { published.append(($1, slices[$0])) }
        }
        let share = Double(total) / Double(RepublishSlice.count)
        #expect(published.allSatisfy { Double($0.count) <= share * 1.5 + 32 })
        // What is late catches up: two begin in a tick, and one may end in it that began before.
        for first in published {
            let together = published.filter { $0.at >= first.at && $0.at < first.at.addingTimeInterval(tick) }
            #expect(together.count <= 3)
        }
    }

    @Test(
        "After a pause of an hour no tick has more than two slices, and everything has had its turn within an interval")
    func pause() {
        var random = SeededGenerator(seed: 1)
        var process = Process(plan: plan, round: round(late: 3_600), now: start)
        var begun: [(at: Date, slice: Int)] = []
        while process.now < start.addingTimeInterval(600) {
            process.check(&random, secondsPerSlice: 0.1) { begun.append(($1, $0)) }
        }
        #expect(Set(begun.map(\.slice)).count == RepublishSlice.count)
        for first in begun {
            let within = begun.filter { $0.at >= first.at && $0.at < first.at.addingTimeInterval(tick) }
            #expect(within.count <= 3, "two begin in a tick, and one may end in it that began before")
        }
    }
}
