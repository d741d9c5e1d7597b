import Foundation
import LiveActivity
import SeededRandom
import Testing

@testable import ActivityDispatch

@Suite("What looks of an app prove of pushes")
struct LedgerPushTests {
    private let card = UUID()

    private func push(
        _ version: Int, at seconds: TimeInterval, priority: Int = 10, event: Push.Event = .update,
        result: String? = "taken"
    ) -> LedgerPush {
        LedgerPush(
            id: version, event: event, priority: priority, revision: Revision(version: version, step: 0),
            sentAt: noon + seconds, result: result)
    }

    private func observation(
        _ version: Int?, at seconds: TimeInterval, former: Int? = nil, isUpdatedByApp: Bool = false
    ) -> CardObservation {
        CardObservation(
            card: card, revision: version.map { Revision(version: $0, step: 0) }, at: noon + seconds,
            former: former.map { Revision(version: $0, step: 0) }, isUpdatedByApp: isUpdatedByApp)
    }

    @Test("Content that the app put on the card itself proves of no push that it arrived")
    func updatedByApp() {
        var pushes = (1...3).map { push($0, at: Double($0) * 60) }
        pushes.apply(observation(2, at: 300, former: 1, isUpdatedByApp: true))
        #expect(pushes.map(\.seenAt) == [nil, nil, nil])
        // What is newer had not come all the same.
        #expect(pushes.map(\.missedAt) == [nil, nil, noon + 300])
    }

    @Test("What is on the screen arrived, what is newer had not come, and of what it replaced nothing is known")
    func threeWays() {
        var pushes = (1...4).map { push($0, at: Double($0) * 60) }
        pushes.apply(observation(2, at: 300, former: 0))
        #expect(pushes.map(\.seenAt) == [nil, noon + 300, nil, nil])
        #expect(pushes.map(\.missedAt) == [nil, nil, noon + 300, noon + 300])
    }

    @Test("A push that was sent less than ten seconds before the look is not missing")
    func underWay() {
        var pushes = [push(1, at: 0), push(2, at: 51)]
        pushes.apply(observation(1, at: 60))
        #expect(pushes[1].missedAt == nil)
        pushes.apply(observation(1, at: 61, former: 1))
        #expect(pushes[1].missedAt == noon + 61)
    }

    @Test("One that comes late is shown after all")
    func late() {
        var pushes = [push(1, at: 0), push(2, at: 10)]
        pushes.apply(observation(1, at: 60))
        pushes.apply(observation(2, at: 90, former: 1))
        #expect(pushes[1].missedAt == noon + 60 && pushes[1].seenAt == noon + 90)
    }

    @Test("What the app showed before a push was sent proves nothing of that push, nor what it may have started with")
    func shownBefore() {
        var pushes = [push(3, at: 60)]
        pushes.apply(observation(3, at: 90, former: 3))
        #expect(pushes[0].seenAt == nil)
        pushes.apply(observation(3, at: 90))
        #expect(pushes[0].seenAt == nil)
        var started = [push(1, at: 0, event: .start), push(3, at: 60)]
        started.apply(observation(3, at: 90))
        #expect(started.map(\.seenAt) == [noon + 90, noon + 90])
        var same = [push(3, at: 0, event: .start), push(3, at: 60)]
        same.apply(observation(3, at: 90))
        #expect(same.map(\.seenAt) == [noon + 90, nil])
    }

    @Test("Of two pushes of one revision the first counts, and none where their priorities differ")
    func repeats() {
        var same = [push(1, at: 0), push(1, at: 60)]
        same.apply(observation(1, at: 90, former: 0))
        #expect(same.map(\.seenAt) == [noon + 90, nil])
        var mixed = [push(1, at: 0), push(1, at: 60, priority: 5)]
        mixed.apply(observation(1, at: 90, former: 0))
        #expect(mixed.map(\.seenAt) == [nil, nil])
        var before = [push(1, at: 0), push(1, at: 60, priority: 5)]
        before.apply(observation(1, at: 30, former: 0))
        #expect(before.map(\.seenAt) == [noon + 30, nil])
    }

    @Test("A card that is there was started, whatever it shows")
    func started() {
        var pushes = [push(1, at: 0, event: .start), push(2, at: 60)]
        pushes.apply(observation(nil, at: 30))
        #expect(pushes.map(\.seenAt) == [noon + 30, nil])
        #expect(pushes.allSatisfy { $0.missedAt == nil })
    }

    @Test(
        "What was certainly not shown is neither shown nor missing",
        arguments: ["refused", "not_sent", "halted", "gone"])
    func refused(result: String) {
        var pushes = [push(1, at: 0), push(2, at: 10, result: result)]
        pushes.apply(observation(2, at: 60))
        pushes.apply(observation(1, at: 70, former: 2))
        #expect(pushes[1].seenAt == nil && pushes[1].missedAt == nil)
    }

    /// A phone that loses pushes, delays others, shows the newest that came, and whose app looks now and then.
    private struct Phone {
        var pushes: [LedgerPush] = []
        /// When each push came, by its place; nil for one that was lost.
        var arrivals: [TimeInterval?] = []
        /// What the app started by itself shows, as version and time.
        var own: (version: Int, at: TimeInterval)?

        /// The place of the push that is on the screen.
        func shown(at time: TimeInterval) -> Int? {
            arrivals.indices.last { arrivals[$0].map { $0 <= time } ?? false }
        }

        func version(at time: TimeInterval) -> Int? {
            let pushed = shown(at: time).map { pushes[$0].revision.version }
            return [pushed, own.flatMap { $0.at <= time ? $0.version : nil }].compactMap(\.self).max()
        }
    }

    private func phone(_ random: inout SeededGenerator) -> Phone {
        var phone = Phone()
        var version = 1
        let loss = Double.random(in: 0...1, using: &random)
        if Bool.random(using: &random) {
            phone.own = (Int.random(in: 1...3, using: &random), 0)
        } else {
            phone.pushes.append(push(version, at: 0, event: .start))
            phone.arrivals.append(0)
        }
        for place in 0..<Int.random(in: 1...20, using: &random) {
            if Double.random(in: 0...1, using: &random) < 0.8 { version += 1 }
            let at = Double(place) * 30
            var push = push(
                version, at: at, priority: Bool.random(using: &random) ? 10 : 5,
                result: ["taken", "taken", "taken", "unknown", nil].randomElement(using: &random) ?? nil)
            push = LedgerPush(
                id: place + 2, event: push.event, priority: push.priority, revision: push.revision, sentAt: push.sentAt,
                result: push.result)
            phone.pushes.append(push)
            let isLost = Double.random(in: 0...1, using: &random) < loss
            phone.arrivals.append(isLost ? nil : at + Double.random(in: 0...80, using: &random))
        }
        return phone
    }

    @Test("Never is more called shown than was, nor missing what was on the screen", arguments: 0..<400)
    func soundness(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let phone = phone(&random)
        var known = phone.pushes
        var former: Int?
        let times = (0..<8).map { _ in Double.random(in: 0...700, using: &random) }.sorted()
        for time in times {
            guard let version = phone.version(at: time) else { continue }
            var sent = known.filter { $0.sentAt <= noon + time }
            sent.apply(observation(version, at: time, former: former))
            known.replaceSubrange(..<sent.count, with: sent)
            former = max(version, former ?? version)
            for push in known where push.missedAt == noon + time {
                #expect(push.revision.version > version)
            }
        }
        for priority in [5, 10] {
            let claimed = known.count { $0.priority == priority && $0.seenAt != nil }
            let arrived = phone.pushes.indices.count {
                phone.pushes[$0].priority == priority && phone.arrivals[$0].map { $0 <= 700 } ?? false
            }
            #expect(claimed <= arrived)
        }
    }

    @Test("Where the app looks after each push, each is known", arguments: 0..<50)
    func completeness(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var known = [push(0, at: 0, event: .start)]
        var shown: Int?
        var arrived: [Bool] = []
        for version in 1...20 {
            known.append(push(version, at: Double(version) * 60))
            arrived.append(Bool.random(using: &random))
            let former = shown
            if arrived[version - 1] { shown = version }
            guard let shown else { continue }
            known.apply(observation(shown, at: Double(version) * 60 + 30, former: former))
        }
        known.removeFirst()
        #expect(known.map { $0.seenAt != nil } == arrived)
        let first = arrived.firstIndex(of: true) ?? arrived.count
        #expect(
            known.indices.filter { $0 > first && !arrived[$0] } == known.indices.filter { known[$0].missedAt != nil })
    }

    @Test("The same look a second time changes nothing", arguments: 0..<50)
    func repeated(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let phone = phone(&random)
        guard let version = phone.version(at: 400) else { return }
        var once = phone.pushes
        once.apply(observation(version, at: 400))
        var twice = once
        twice.apply(observation(version, at: 400, former: version))
        #expect(once == twice)
    }
}
