import Foundation
import SeededRandom
import Testing

@testable import LiveActivity

@Suite("Superseding")
struct SupersedingTests {
    static func step(using generator: inout SeededGenerator) -> ActivityStep {
        let status = Sample.statuses.randomElement(using: &generator) ?? .placed
        var delivery = Sample.delivery(status)
        delivery.version = Int.random(in: 1...4, using: &generator)
        return .after(delivery, arrival: nil, step: Int.random(in: 0...3, using: &generator))
    }

    static func key(_ step: ActivityStep) -> [Int] {
        [step.isEnd ? 1 : 0, step.content.revision.version, step.content.revision.step]
    }

    @Test("It is a strict order by ended, version and step", arguments: UInt64(0)..<200)
    func strictOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let steps = (0..<3).map { _ in Self.step(using: &generator) }
        let (one, two, three) = (steps[0], steps[1], steps[2])
        #expect(!one.supersedes(one))
        #expect(!(one.supersedes(two) && two.supersedes(one)))
        if one.supersedes(two), two.supersedes(three) { #expect(one.supersedes(three)) }
        #expect(one.supersedes(two) == Self.key(two).lexicographicallyPrecedes(Self.key(one)))
    }

    @Test("Whatever the order of arrival, the same step wins", arguments: UInt64(0)..<100)
    func anyOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let steps = (0..<8).map { _ in Self.step(using: &generator) }
        func last(_ steps: [ActivityStep]) -> [Int] {
            Self.key(steps.dropFirst().reduce(steps[0]) { $1.supersedes($0) ? $1 : $0 })
        }
        #expect(last(steps) == last(steps.shuffled(using: &generator)))
    }

    @Test("Nothing supersedes an end but a newer end")
    func endAbsorbs() {
        var live = Sample.delivery(.enRoute)
        live.version = 99
        let end = ActivityStep.after(Sample.delivery(.delivered), arrival: nil, step: 0)
        #expect(!ActivityStep.after(live, arrival: nil, step: 9).supersedes(end))
        #expect(end.supersedes(.after(live, arrival: nil, step: 9)))
    }

    @Test(
        "A step is prolonged by its own revision with a later stale date, and by nothing else",
        arguments: UInt64(0)..<100)
    func prolonging(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (one, two) = (Self.step(using: &generator), Self.step(using: &generator))
        #expect(!one.prolongs(one))
        #expect(!(one.isNews(after: two) && two.isNews(after: one)))
        if one.prolongs(two) { #expect(Self.key(one) == Self.key(two) && !one.isEnd && !one.supersedes(two)) }
        var delivery = Sample.delivery(.picking)
        delivery.version = Int.random(in: 1...4, using: &generator)
        let now = Sample.sixPM + 3600
        let early = ActivityStep.after(delivery, arrival: nil, step: 0, now: now)
        let late = ActivityStep.after(delivery, arrival: nil, step: 0, now: now + 1)
        #expect(late.prolongs(early) && late.isNews(after: early) && !early.isNews(after: late))
    }

    @Test("A step survives a round trip through JSON", arguments: Sample.cases)
    func codable(sample: Sample.Case) throws {
        let data = try JSONEncoder().encode(sample.step)
        #expect(try JSONDecoder().decode(ActivityStep.self, from: data) == sample.step)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Array(object.keys) == [sample.isEnd ? "ended" : "show"])
    }
}
