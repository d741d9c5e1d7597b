import Foundation
import LiveActivity
import PhoneRules
import Testing
import WireCoding

@testable import ActivityDispatch

/// Each gives its thread to other tests between two seeds.
@Suite("Properties of the reconciler")
struct ReconcilerPropertyTests {
    @Test(
        "Under random faults no screen goes back, the newest state arrives, and every end ends its cards",
        arguments: 0..<16)
    func holds(batch: UInt64) async {
        for seed in (batch * 150)..<(batch * 150 + 150) {
            await Task.yield()
            var run = RandomizedRun(seed: seed)
            for _ in 0..<400 { run.step() }
            run.recover()
            let violations = run.violations + run.phones.values.flatMap(\.violations) + run.newestStatesMissing()
            run.age()
            let violationsLater = run.phones.values.flatMap(\.violations) + run.cardsTooOld() + run.violations
            #expect(violations + violationsLater == [], "seed \(seed)")
            if !(violations + violationsLater).isEmpty { return }
        }
    }

    @Test(
        "On emulated iPhones the same holds, and at the end each shows exactly what its deliveries are",
        arguments: 0..<8)
    func holdsOnEmulatedPhones(batch: UInt64) async {
        var outcomes: [PushOutcome: Int] = [:]
        var (scheduled, startedByThemselves) = (0, 0)
        for seed in (batch * 10)..<(batch * 10 + 10) {
            await Task.yield()
            var run = RandomizedRun(seed: seed, isEmulated: true)
            for _ in 0..<400 { run.step() }
            run.recover()
            var violations = run.violations + run.phones.values.flatMap(\.violations)
            violations += run.newestStatesMissing() + run.untruths()
            run.age()
            violations += run.phones.values.flatMap(\.violations) + run.cardsTooOld() + run.untruths()
            #expect(violations == [], "seed \(seed)")
            scheduled += run.scheduledCount
            startedByThemselves += run.cards.values.count { $0.scheduledAt != nil && $0.startedAt != nil }
            for phone in run.phones.values { outcomes.merge(phone.iPhone?.outcomes ?? [:], uniquingKeysWith: +) }
        }
        #expect(outcomes[.applied, default: 0] > 40)
        #expect(outcomes[.stored, default: 0] > 0)
        #expect(scheduled > 10 && startedByThemselves > 0, "\(scheduled), \(startedByThemselves)")
        let mistakes = outcomes.keys.filter { Self.mistakes.contains($0) }
        #expect(mistakes.isEmpty, "\(outcomes)")
    }

    /// What a phone does with a push that is wrong in itself.
    private static let mistakes: Set<PushOutcome> = [
        .unreadable, .otherToken, .otherAttributesType, .undecodable, .tooLarge, .channelUnsupported,
        .startWithoutAlert, .startWithoutAttributes, .budgetExhausted,
    ]

    @Test("The random runs do start, update, end, swipe and replace cards")
    func coversEveryState() async {
        var events: [Push.Event: Int] = [:]
        var states: [Card.State: Int] = [:]
        var alerts = 0
        for seed in 0..<150 as Range<UInt64> {
            await Task.yield()
            var run = RandomizedRun(seed: seed)
            for _ in 0..<400 { run.step() }
            run.recover()
            run.age()
            for push in run.ledger.values.flatMap({ $0 }).map(\.push) { events[push.event, default: 0] += 1 }
            for card in run.cards.values { states[card.state, default: 0] += 1 }
            alerts += run.phones.values.flatMap(\.cards.values).flatMap(\.alerts).count
        }
        #expect(events.count == 3)
        #expect(alerts > 100)
        for state: Card.State in [.dismissed, .swiped, .replaced, .signedOut, .lost] {
            #expect(states[state] ?? 0 > 0, "\(state)")
        }
    }
}

extension RandomizedRun {
    /// Ends the faults: no intent is written, a resync delivers the newest ones, phones come online and report.
    mutating func recover() {
        for leased in leasedPushes {
            if let answer = leased.answer { record(leased, answer) } else { lostStarts.insert(leased.push.card) }
        }
        leasedPushes = []
        for activity in written.values.sorted(by: { $0.id < $1.id }) { apply(activity) }
        for id in devices.keys.sorted() {
            phones[id]!.comeOnline(at: now)
            report(id)
        }
        // Apps report again once every leased push has its result.
        settle(for: 120)
        for id in devices.keys.sorted() { report(id) }
        settle(for: 400)
    }

    /// Lets thirteen hours pass without anything new.
    mutating func age() {
        settle(for: 13 * 3600)
    }

    /// Runs the service without failures, from one due time to the next.
    private mutating func settle(for seconds: TimeInterval) {
        let until = now + seconds
        while now < until {
            var next = until
            for id in cardOrder {
                let due = reconcile(id)
                for leased in leasedPushes {
                    record(leased, send(leased))
                    if leased.push.event == .start { report(leased.device) }
                }
                leasedPushes = []
                next = min(next, due ?? now)
            }
            now = next <= now ? now + 0.25 : next
        }
        for id in devices.keys.sorted() { phones[id]!.advance(to: now) }
    }

    /// Cards that do not show what is wanted after the recovery.
    func newestStatesMissing() -> [String] {
        cards.values.compactMap { card in
            let activity = activities[card.activity]!
            guard let shown = phones[card.device]!.cards[card.id], !shown.isSwiped else {
                return missingStart(card, activity)
            }
            guard shown.isActive(at: now) || shown.endedAt != nil else { return nil }
            if devices[card.device]!.customer != activity.customer {
                return shown.endedAt == nil ? "another customer's card is on the screen" : nil
            }
            // Dismissed at once for another card or customer, whatever its result was.
            if shown.endedAt != nil, shown.dismissedAt == shown.endedAt { return nil }
            if shown.state.isLastWord, shown.state.content.revision == activity.wanted.content.revision { return nil }
            if shown.state != activity.wanted { return "\(card.activity) shows \(shown.state.content.revision)" }
            guard case .ended(let ended) = activity.wanted else { return nil }
            guard let at = shown.endedAt, let dismissedAt = shown.dismissedAt else { return "an end did not come" }
            let planned = ended.dismissal.date(endedAt: ended.endedAt, now: at.epochSeconds)
            return abs(dismissedAt.timeIntervalSince1970 - Double(planned)) > 60 ? "dismissed at another time" : nil
        }
    }

    /// A card that should be there and is not, with no good reason.
    private func missingStart(_ card: Card, _ activity: Activity) -> String? {
        guard card.state == .active else { return nil }
        return lostStarts.contains(card.id) ? nil : "a card that is active is not on the phone"
    }

    /// Where an emulated iPhone does not show what its deliveries are.
    mutating func untruths() -> [String] {
        devices.keys.sorted().flatMap { id in
            phones[id]!.iPhone?.untruths(activities, of: devices[id]!.customer, at: now) ?? []
        }
    }

    func cardsTooOld() -> [String] {
        cards.values.compactMap { card in
            let shown = phones[card.device]!.cards[card.id]
            if card.state.isOnScreen, let startedAt = card.startedAt, now > startedAt + 12 * 3600 + 60 {
                return "a card stays open for ever"
            }
            guard let shown, !shown.isSwiped, shown.endedAt == nil, !shown.isReportedEnded else { return nil }
            // An end that the phone lost, with the app never opened: the system ends that card by itself.
            if ledger[card.id]?.contains(where: { $0.push.event == .end }) == true { return nil }
            // The system ends what we leave to it; a card that is left for longer is one that we still count on.
            return card.state.isOnScreen && now > shown.startedAt + 8.25 * 3600
                ? "a card outlived eight hours: \(card.state)" : nil
        }
    }
}
