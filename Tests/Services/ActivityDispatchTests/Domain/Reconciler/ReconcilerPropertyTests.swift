import Foundation
import LiveActivity
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("The reconciler in a storm")
struct StormTests {
    @Test("No screen goes back, the last word arrives, and every end ends its cards", arguments: 0..<16)
    func survives(batch: UInt64) {
        for seed in (batch * 150)..<(batch * 150 + 150) {
            var storm = Storm(seed: seed)
            for _ in 0..<400 { storm.happen() }
            storm.quieten()
            let wrongs = storm.wrongs + storm.phones.values.flatMap(\.wrongs) + storm.lastWordsMissing()
            storm.growOld()
            let late = storm.phones.values.flatMap(\.wrongs) + storm.cardsTooOld() + storm.wrongs
            #expect(wrongs + late == [], "seed \(seed)")
            if !(wrongs + late).isEmpty { return }
        }
    }

    @Test("A storm does start, update, end, swipe and replace cards")
    func isStormy() {
        var events: [Push.Event: Int] = [:]
        var states: [Card.State: Int] = [:]
        var alerts = 0
        for seed in 0..<150 as Range<UInt64> {
            var storm = Storm(seed: seed)
            for _ in 0..<400 { storm.happen() }
            storm.quieten()
            storm.growOld()
            for push in storm.ledger.values.flatMap({ $0 }).map(\.push) { events[push.event, default: 0] += 1 }
            for card in storm.cards.values { states[card.state, default: 0] += 1 }
            alerts += storm.phones.values.flatMap(\.cards.values).flatMap(\.alerts).count
        }
        #expect(events.count == 3)
        #expect(alerts > 100)
        for state: Card.State in [.dismissed, .swiped, .replaced, .signedOut, .lost] {
            #expect(states[state] ?? 0 > 0, "\(state)")
        }
    }
}

extension Storm {
    /// The storm is over: nobody writes, healing sends the newest intents again, phones come back and report in.
    mutating func quieten() {
        for flight in flights {
            if flight.isSent { record(flight, .taken) } else { lostStarts.insert(flight.push.card) }
        }
        flights = []
        for activity in written.values.sorted(by: { $0.id < $1.id }) { take(activity) }
        for id in devices.keys.sorted() {
            phones[id]!.comeOnline(at: now)
            report(id)
        }
        // Apps report in again once what is under way has settled.
        settle(for: 120)
        for id in devices.keys.sorted() { report(id) }
        settle(for: 400)
    }

    /// Thirteen hours in which nothing new happens.
    mutating func growOld() {
        settle(for: 13 * 3600)
    }

    /// Runs the service without failures, from one due time to the next.
    private mutating func settle(for seconds: TimeInterval) {
        let until = now + seconds
        while now < until {
            var next = until
            for id in cardOrder {
                let due = attend(to: id)
                for flight in flights {
                    phones[flight.device]!.receive(flight.push, replaced: replaced(by: flight.push.card), at: now)
                    record(flight, .taken)
                    if flight.push.event == .start { report(flight.device) }
                }
                flights = []
                next = min(next, due ?? now)
            }
            now = next <= now ? now + 0.25 : next
        }
    }

    /// What a phone shows that is not what is wanted, an hour of quiet after the last word.
    func lastWordsMissing() -> [String] {
        cards.values.compactMap { card in
            let activity = activities[card.activity]!
            guard let shown = phones[card.device]!.cards[card.id], !shown.isSwiped else {
                return missingStart(card, activity)
            }
            guard shown.isActive(at: now) || shown.endedAt != nil else { return nil }
            if devices[card.device]!.customer != activity.customer {
                return shown.endedAt == nil ? "a stranger's card is on the screen" : nil
            }
            // Taken off at once for another card or customer, whatever became of the answer to that.
            if shown.endedAt != nil, shown.dismissedAt == shown.endedAt { return nil }
            if shown.step != activity.wanted { return "\(card.activity) shows \(shown.step.content.revision)" }
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

    func cardsTooOld() -> [String] {
        cards.values.compactMap { card in
            let shown = phones[card.device]!.cards[card.id]
            if card.state.isOnScreen, let startedAt = card.startedAt, now > startedAt + 12 * 3600 + 60 {
                return "a card is on the books for ever"
            }
            guard let shown, !shown.isSwiped, shown.endedAt == nil else { return nil }
            // An end that the phone lost, with nobody opening the app: the system ends that card by itself.
            if ledger[card.id]?.contains(where: { $0.push.event == .end }) == true { return nil }
            return now > shown.startedAt + 8 * 3600 ? "a card outlived eight hours: \(card.state)" : nil
        }
    }
}
