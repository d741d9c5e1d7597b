import Foundation
import LiveActivity
import PhoneRules
import SeededRandom
import Testing

@Suite("A phone under any order of pushes")
struct PhonePropertyTests {
    static let seeds: ClosedRange<UInt64> = 1...200
    let noon = Pushes.noon

    /// What a person would see, without how it came about.
    struct Picture: Equatable {
        let state: PhoneCard.State
        let content: GroceryDeliveryAttributes.ContentState
        let staleAt: Int?
        let dismissedAt: Int?
        let relevance: Double

        init?(_ card: PhoneCard?) {
            guard let card else { return nil }
            state = card.state
            content = card.content
            staleAt = card.staleAt
            dismissedAt = card.dismissedAt
            relevance = card.relevance
        }
    }

    /// One card's life after its start: updates with rising timestamps, perhaps an end that is the newest.
    func life(_ random: inout SeededGenerator) -> [PushPayload] {
        let count = Int.random(in: 1...12, using: &random)
        var pushes = (1...count).map { step in
            Pushes.update(
                noon + step, step: step, staleAt: step.isMultiple(of: 3) ? nil : noon + 1000 + step,
                relevance: Double(step))
        }
        if Bool.random(using: &random) {
            pushes.append(Pushes.end(noon + count + 1, step: count + 1, dismissalAt: noon + 2000))
        }
        return pushes
    }

    @Test("Shuffled and repeated pushes end in the same screen as pushes in order", arguments: seeds)
    func converges(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pushes = life(&random)
        let repeats = pushes.filter { _ in Bool.random(using: &random) }

        var inOrder = Phone()
        _ = inOrder.receive(Pushes.start(noon), card: "a", at: noon)
        for push in pushes { _ = inOrder.receive(push, card: "a", at: noon + 100) }

        var shuffled = Phone()
        _ = shuffled.receive(Pushes.start(noon), card: "a", at: noon)
        for push in (pushes + repeats).shuffled(using: &random) {
            _ = shuffled.receive(push, card: "a", at: noon + 100)
        }

        #expect(Picture(shuffled[card: "a"]) == Picture(inOrder[card: "a"]))
    }

    @Test("A screen never goes back, whatever arrives and however time passes", arguments: seeds)
    func neverGoesBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var phone = Phone()
        var now = noon
        var events: [CardEvent] = []
        let ids = ["a", "b", "c"]
        for _ in 0..<120 {
            now += Int.random(in: -30...900, using: &random)
            let id = ids.randomElement(using: &random) ?? "a"
            let timestamp = now - Int.random(in: 0...600, using: &random)
            let step = timestamp - noon
            switch Int.random(in: 0...9, using: &random) {
            case 0...1: events += phone.receive(Pushes.start(timestamp, step: step), card: id, at: now)
            case 2...6:
                let push = Pushes.update(timestamp, step: step, staleAt: timestamp + 300)
                events += phone.receive(push, card: id, at: now)
            case 7 where Bool.random(using: &random):
                let push = Pushes.end(timestamp, step: step, dismissalAt: timestamp + 700)
                events += phone.receive(push, card: id, at: now)
            case 8 where Bool.random(using: &random): events += phone.swipeOnLockScreen(card: id, at: now)
            default: events += phone.advance(to: now)
            }
            #expect(phone.liveCards.count { $0.state.isLive } <= phone.activitiesMax)
        }

        #expect(zip(events, events.dropFirst()).allSatisfy { $0.at <= $1.at })
        for id in ids {
            let own = events.filter { $0.card.id == id }
            for (before, after) in zip(own, own.dropFirst()) {
                #expect(before.card.timestamp <= after.card.timestamp)
                #expect(before.card.content.revision <= after.card.content.revision)
                #expect(Self.rank(before.card.state) <= Self.rank(after.card.state))
            }
            #expect(own.count { $0.kind == .start } <= 1)
            #expect(own.count { $0.kind == .end } <= 1)
        }
    }

    @Test("A phone that was encoded and decoded goes on as before", arguments: seeds.prefix(20))
    func persists(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon)
        for push in life(&random) { _ = phone.receive(push, card: "a", at: noon + 100) }
        let data = try JSONEncoder().encode(phone)
        #expect(try JSONDecoder().decode(Phone.self, from: data) == phone)
    }

    @Test(
        "Whatever is pushed to an app that was force-quit, it notices nothing, and all of it once it is opened",
        arguments: seeds)
    func forceQuit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var device = Device { $0.tokenDelaySeconds = [0, 40].randomElement(using: &random) ?? 0 }
        if Bool.random(using: &random) { _ = device.start() }
        device.time = noon + 60
        _ = device.phone.advance(to: device.time)
        let reachable = Set(device.phone.activities.filter { $0.updateToken != nil }.map(\.instance))
        _ = device.phone.forceQuitApp(at: device.time)
        var frozen: [String: PhoneCard] = [:]
        for _ in 0..<30 {
            device.time += Int.random(in: 1...400, using: &random)
            let token = device.phone.activities.compactMap(\.updateToken).randomElement(using: &random)
            let isStart = token == nil || random.once(in: 8)
            let effects = device.deliver(
                device.body(isStart ? "start" : "update", device.time, step: device.time - noon),
                token: isStart ? device.phone.startToken : token)
            #expect(device.notices(effects).isEmpty && device.phone.app == .forceQuit)
            for card in device.phone.phone.lockScreen where !reachable.contains(card.id) {
                #expect(device.phone.updateToken(of: card.id) == nil)
                #expect(frozen[card.id]?.content ?? card.content == card.content)
                frozen[card.id] = card
            }
        }
        _ = device.phone.launchApp(at: device.time + 40)
        #expect(device.phone.activities.filter(\.state.isLive).allSatisfy { $0.updateToken != nil })
        #expect(!frozen.isEmpty || !reachable.isEmpty)
    }

    @Test(
        "Of an app of theirs and one of ours the newest update is first, and calls, music and timers before both",
        arguments: seeds)
    func island(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var phone = Phone()
        _ = phone.receive(Pushes.start(noon), card: "a", at: noon)
        var (ours, theirs): (Int, Int?) = (noon, nil)
        var first: Set<Phone.OtherApp.Kind> = []
        for time in noon + 1...noon + 60 {
            let kind = Phone.OtherApp.Kind.allCases.randomElement(using: &random) ?? .app
            switch Int.random(in: 0...3, using: &random) {
            case 0:
                _ = phone.receive(Pushes.update(time, step: time - noon), card: "a", at: time)
                ours = time
            case 1:
                phone.otherApps.removeAll { $0.kind == kind }
                first.remove(kind)
                if kind == .app { theirs = nil }
            default:
                phone.otherApps.append(.init(kind, updatedAt: time))
                if kind == .app { theirs = time } else { first.insert(kind) }
            }
            let card = try #require(phone[card: "a"])
            let before = first.count + (theirs.map { $0 > ours } == true ? 1 : 0)
            let expected: Phone.Island =
                first.isEmpty && theirs == nil
                ? .compact(card)
                : before == 0 ? .minimal(card, .attached) : before == 1 ? .minimal(card, .detached) : .empty
            #expect(phone.island == expected)
        }
    }

    private static func rank(_ state: PhoneCard.State) -> Int {
        switch state {
        case .pending: 0
        case .active, .stale: 1
        case .ended: 2
        case .dismissed: 3
        }
    }
}
