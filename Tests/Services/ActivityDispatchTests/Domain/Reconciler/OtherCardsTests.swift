import Foundation
import LiveActivity
import Messages
import OrderDomain
import SeededRandom
import Testing

@testable import ActivityDispatch

/// What the decision about a card asks of the others, each by looking at all of them.
private struct AllOthers {
    let others: [ActivityCard]

    func showsAnother(for candidate: ActivityCard) -> Bool {
        others.contains {
            $0.card.activity == candidate.activity.id && $0.card.id != candidate.card.replaces
                && $0.card.state.isOnScreen
        }
    }

    func needsSlot(of candidate: ActivityCard, limits: Limits, now: Date) -> Bool {
        let due = others.count { other in
            guard other.card.state == .waiting, !other.card.isScheduled, !other.isReplacement,
                other.activity.customer == candidate.activity.customer, case .show(let shown) = other.activity.wanted
            else { return false }
            return shown.startAt <= Int(now.timeIntervalSince1970)
        }
        let later = others.count { other in
            other.card.isScheduled && candidate.activity.displayRank < other.activity.displayRank
        }
        let missing = 1 + others.count { $0.card.hasSlot(limits, at: now) } + due - limits.cardsPerDeviceMax
        return missing > later
    }

    func hasRoom(for candidate: ActivityCard, limits: Limits, now: Date) -> Bool {
        let ahead = others.count { other in
            if other.card.hasSlot(limits, at: now) { return true }
            guard other.card.state == .waiting, case .show(let shown) = other.activity.wanted,
                other.activity.customer == candidate.activity.customer
            else { return false }
            return shown.startAt <= Int(now.timeIntervalSince1970)
                && (other.isReplacement == candidate.isReplacement
                    ? other.activity.displayRank < candidate.activity.displayRank : other.isReplacement)
        }
        return ahead < limits.cardsPerDeviceMax
    }

    func replacements(of card: Card) -> Set<Card> {
        Set(others.map(\.card).filter { $0.replaces == card.id && $0.state != .lost })
    }
}

extension ActivityCard {
    fileprivate var isReplacement: Bool { card.replaces != nil }
}

@Suite("Other cards of a device")
struct OtherCardsTests {
    private let device = Device.any("phone", .stream)

    @Test("Of equal deliveries the first bags are shown, and start in the order of their numbers")
    func equalDeliveries() {
        let cards = [3, 1, 7, 2, 5, 4, 6].map { number -> ActivityCard in
            guard case .show(let shown) = ActivityStep.shows(1, arrival: 5000) else { preconditionFailure() }
            let attributes = GroceryDeliveryAttributes(
                activity: "a\(9 - number)", delivery: "d", reference: "G-1042", store: "Nordhavn",
                bag: .init(number: number, count: 7), itemCount: 3, promise: nil, timeZone: "Europe/Copenhagen")
            let bag = ShownActivity(
                attributes: attributes, content: shown.content, startAt: 0, staleAt: farAhead, relevance: 0, alert: nil)
            let activity = Activity(.show(bag), id: "a\(9 - number)")
            return ActivityCard(activity: activity, card: .any(of: activity, on: device))
        }
        var run = DeviceReconciliation(device: device, cards: cards, limits: .stream, now: noon)
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(run.pushes.map(\.wanted.attributes.bag?.number) == [1, 2, 3, 4, 5])
    }

    @Test("A question has a card before deliveries that arrive earlier, behind the summary")
    func questions() {
        let cards = (1...7).map { number -> ActivityCard in
            guard case .show(let shown) = ActivityStep.shows(1, activity: "a\(number)", arrival: 5000 + number * 60)
            else { preconditionFailure() }
            var content = shown.content
            if number == 7 { content.flags = [DeliverySnapshot.Flag.needsCustomer.rawValue] }
            let asked = ShownActivity(
                attributes: shown.attributes, content: content, startAt: 0, staleAt: farAhead, relevance: 0, alert: nil)
            let activity = Activity(.show(asked), id: "a\(number)")
            return ActivityCard(activity: activity, card: .any(of: activity, on: device))
        }
        var run = DeviceReconciliation(device: device, cards: cards, limits: .stream, now: noon)
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(run.pushes.map(\.wanted.attributes.activity) == ["a7", "a1", "a2", "a3", "a4"])
    }

    @Test("A delivery whose promise was moved has its place by the present promise, also in other content")
    func movedPromise() {
        let cards = (1...6).map { number -> ActivityCard in
            let id = "a\(number)"
            let attributes = GroceryDeliveryAttributes(
                activity: id, delivery: "d", reference: "G-1042", store: "Nordhavn", bag: .init(number: 1, count: 1),
                itemCount: 3, promise: Window(from: number * 600, to: number * 600 + 1800),
                timeZone: "Europe/Copenhagen")
            let shown = ShownActivity(
                attributes: attributes, content: .any(1, 0, .picking, nil), startAt: 0, staleAt: farAhead, relevance: 0,
                alert: nil, promisedUntil: number == 1 ? 9000 : nil)
            let step = ActivityStep.show(shown)
            let activity = Activity(step.with(step.content), id: id)
            return ActivityCard(activity: activity, card: .any(of: activity, on: device))
        }
        let pushed = run(cards, at: noon).pushes.map(\.wanted.attributes.activity)
        #expect(pushed == ["a2", "a3", "a4", "a5", "a6"])
    }

    @Test("Deliveries that arrive no more are last", arguments: [DeliverySnapshot.Status.atDoor, .returning])
    func nothingArrives(status: DeliverySnapshot.Status) throws {
        let sample = DeliverySnapshot(try Delivery.sample(), links: [])
        let cards = (1...6).map { number -> ActivityCard in
            var delivery = sample
            delivery.status = number == 1 ? status : .enRoute
            delivery.isHandedOver = delivery.status == .atDoor
            let from = Int(noon.timeIntervalSince1970) + number * 600
            delivery.promise = Window(from: from, to: from + 1800)
            let activity = Activity(.after(delivery, arrival: nil, step: 0), id: "a\(number)")
            return ActivityCard(activity: activity, card: .any(of: activity, on: device))
        }
        let result = run(cards, at: noon)
        #expect(result.pushes.map(\.activity.rawValue) == ["a2", "a3", "a4", "a5", "a6"])
        #expect(result.reasons[cards[0].card.id] == .tooManyCards)
    }

    /// A delivery's activity that asks the customer, with the alert `ask`.
    private func question() -> Activity {
        guard case .show(let shown) = ActivityStep.shows(1, activity: "asks", arrival: 9000) else {
            preconditionFailure()
        }
        var content = shown.content
        content.flags = [DeliverySnapshot.Flag.needsCustomer.rawValue]
        return Activity(
            .show(
                ShownActivity(
                    attributes: shown.attributes, content: content, startAt: 0, staleAt: farAhead, relevance: 0,
                    alert: .any("ask", until: farAhead))), id: "asks")
    }

    /// A card on the screen that shows its activity's wanted state.
    private func shown(_ activity: Activity) -> ActivityCard {
        ActivityCard(
            activity: activity, card: .any(of: activity, on: device, .active, sent: activity.wanted, startedAt: noon))
    }

    private func run(_ cards: [ActivityCard], at now: Date) -> DeviceReconciliation {
        var run = DeviceReconciliation(device: device, cards: cards, limits: .stream, now: now)
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        return run
    }

    @Test("A question without a free place is announced by the summary, once, and its own card does not repeat it")
    func questionWithoutSlot() {
        let summary = shown(Activity(.shows(1, activity: "s"), id: "s", isSummary: true))
        let others = (1...4).map { shown(Activity(.shows(1, activity: "a\($0)"), id: "a\($0)")) }
        let asking = question()
        let asked = ActivityCard(activity: asking, card: .any(of: asking, on: device))
        let first = run([summary] + others + [asked], at: noon + 10)
        #expect(first.pushes.map(\.card) == [summary.card.id])
        #expect(first.pushes.map(\.event) == [.update] && first.pushes.map(\.priority) == [.high])
        #expect(first.pushes.map(\.alert?.id) == ["ask"])
        #expect(first.cards.map(\.card.state) == [.active, .active, .active, .active, .active, .waiting])
        #expect(run(first.cards, at: noon + 60).pushes.isEmpty)

        var freed = first.cards
        freed.remove(at: 1)
        let second = run(freed, at: noon + 120)
        #expect(second.pushes.map(\.card) == [asked.card.id] && second.pushes.map(\.event) == [.start])
        #expect(second.pushes.map(\.alert) == [nil])
        // The summary has left the screen, and none of its cards is open.
        var swiped = first.cards
        swiped[0].card.state = .swiped
        let third = run(swiped, at: noon + 120)
        #expect(third.pushes.map(\.card) == [asked.card.id] && third.pushes.map(\.alert) == [nil])
    }

    @Test("A question that a summary was to announce, whose start never left, is announced by its own card")
    func withdrawnAnnouncement() {
        let summary = Activity(.shows(1, activity: "s"), id: "s", isSummary: true)
        let waiting = ActivityCard(activity: summary, card: .any(of: summary, on: device))
        let others = (1...4).map { shown(Activity(.shows(1, activity: "a\($0)"), id: "a\($0)")) }
        let asking = question()
        let asked = ActivityCard(activity: asking, card: .any(of: asking, on: device))
        var leased = DeviceReconciliation(
            device: device, cards: [waiting] + others + [asked], limits: .stream, now: noon + 10)
        leased.run(leased: [], newID: { UUID() }) { _ in nil }
        #expect(leased.pushes.map(\.alert?.id) == ["ask"] && leased.pushes.map(\.announces) == [asking.id])
        #expect(leased.cards.last?.card.alertedIDs == ["ask"])
        // Its process died, and two deliveries have ended since.
        var died = leased.cards
        died.removeSubrange(1...2)
        let again = run(died, at: noon + 60)
        #expect(Set(again.pushes.map(\.card)) == [waiting.card.id, asked.card.id])
        #expect(again.pushes.compactMap(\.alert?.id) == ["ask"])
    }

    @Test("A question that the summary of a former version has announced is not announced by its own card again")
    func announcedBefore() {
        var summary = shown(Activity(.shows(1, activity: "s"), id: "s", isSummary: true))
        summary.card.alertedIDs = ["ask"]
        let asking = question()
        let asked = ActivityCard(activity: asking, card: .any(of: asking, on: device))
        let started = run([summary, asked], at: noon + 10)
        #expect(started.pushes.map(\.card) == [asked.card.id] && started.pushes.map(\.alert) == [nil])
        #expect(started.cards.last?.card.alertedIDs == ["ask"])
    }

    @Test("A question whose alert is released once its own card is there is announced by that, once")
    func releasedAfterStart() {
        let asking = question()
        let first = run([shown(asking)], at: noon + 60)
        #expect(first.pushes.map(\.event) == [.update] && first.pushes.map(\.alert?.id) == ["ask"])
        #expect(run(first.cards, at: noon + 120).pushes.isEmpty)
    }

    @Test("A question that has a place alerts by its own card alone")
    func questionWithSlot() {
        let summary = shown(Activity(.shows(1, activity: "s"), id: "s", isSummary: true))
        let asking = question()
        let waiting = ActivityCard(activity: asking, card: .any(of: asking, on: device))
        let started = run([summary, waiting], at: noon + 10).pushes
        #expect(started.map(\.card) == [waiting.card.id] && started.map(\.alert?.id) == ["ask"])
        let card = Card.any(
            of: asking, on: device, .active, sent: .shows(0, activity: "asks"), startedAt: noon, lastPushAt: noon)
        let updated = run([summary, ActivityCard(activity: asking, card: card)], at: noon + 10).pushes
        #expect(updated.map(\.card) == [card.id] && updated.map(\.alert?.id) == ["ask"])
    }

    private func cards(_ count: Int, using random: inout SeededGenerator) -> [ActivityCard] {
        var cards: [ActivityCard] = []
        let seconds = Int(noon.timeIntervalSince1970)
        for number in 0..<count {
            let name = "a\(Int.random(in: 0..<max(1, count * 2 / 3), using: &random))"
            let step: ActivityStep =
                random.once(in: 6)
                ? .ends(2, activity: name, at: noon)
                : .shows(
                    1, activity: name, arrival: random.once(in: 4) ? nil : seconds + (number % 7) * 60,
                    startAt: random.once(in: 5) ? seconds + 60 : 0)
            let activity = Activity(step, id: name, customer: random.once(in: 5) ? "noor" : "mira")
            let states: [Card.State] = [.waiting, .waiting, .waiting, .starting, .active, .ended, .lost, .replaced]
            var card = Card.any(of: activity, on: device, states.randomElement(using: &random) ?? .waiting)
            if random.once(in: 3) { card.startedAt = noon - 9 * 3600 }
            if card.state == .waiting, random.once(in: 4) { card.scheduledAt = noon + 3600 }
            if random.once(in: 4) { card.replaces = cards.randomElement(using: &random)?.card.id }
            cards.append(ActivityCard(activity: activity, card: card))
        }
        return cards
    }

    private func expectEqual(_ otherCards: OtherCards, _ cards: [ActivityCard]) {
        for index in cards.indices {
            var others = cards
            let one = others.remove(at: index)
            let all = AllOthers(others: others)
            for cardsMax in [1, 3, 5] {
                var limits = Limits.stream
                limits.cardsPerDeviceMax = cardsMax
                #expect(
                    otherCards.hasRoom(for: one, limits: limits, now: noon)
                        == all.hasRoom(for: one, limits: limits, now: noon) || one.card.state != .waiting)
                guard one.card.isScheduled else { continue }
                #expect(
                    otherCards.needsSlot(of: one, limits: limits, now: noon)
                        == all.needsSlot(of: one, limits: limits, now: noon))
            }
            #expect(otherCards.showsAnother(for: one) == all.showsAnother(for: one))
            #expect(Set(otherCards.replacements(of: one.card)) == all.replacements(of: one.card))
        }
    }

    @Test("They answer as a look at all other cards would, also after changes", arguments: 0..<200 as Range<UInt64>)
    func equivalence(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cards = cards(Int.random(in: 1...20, using: &random), using: &random)
        var otherCards = OtherCards(cards)
        expectEqual(otherCards, cards)
        for _ in 0..<10 {
            if random.once(in: 4) {
                let new = self.cards(1, using: &random)[0]
                cards.append(new)
                otherCards.insert(new)
            } else {
                let index = Int.random(in: cards.indices, using: &random)
                let former = cards[index]
                cards[index].card.state = Card.State.allCases.randomElement(using: &random) ?? .waiting
                otherCards.update(former, to: cards[index])
            }
            expectEqual(otherCards, cards)
        }
    }

    @Test("Ends go first: what is to replace a card then has room, and the card stays until that is there")
    func endsFirst() {
        let (shown, over) = (Activity(.shows(1)), Activity(.ends(2, activity: "a2", at: noon), id: "a2"))
        let old = Card.any(of: shown, on: device, .active, sent: shown.wanted, startedAt: noon - 7.6 * 3600)
        let ending = Card.any(of: over, on: device, .active, sent: .shows(1, activity: "a2"), startedAt: noon - 3600)
        var replacement = Card.any(of: shown, on: device)
        replacement.replaces = old.id
        var limits = Limits.stream
        limits.cardsPerDeviceMax = 2
        let cards = [(shown, old), (over, ending), (shown, replacement)].map { ActivityCard(activity: $0, card: $1) }
        var reconciliation = DeviceReconciliation(device: device, cards: cards, limits: limits, now: noon)
        reconciliation.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(reconciliation.pushes.map(\.event) == [.end, .start, .end])
        #expect(reconciliation.pushes.map(\.card) == [ending.id, replacement.id, old.id])
    }

    @Test("A start that was never confirmed keeps its slot only until the system has certainly ended its card")
    func unconfirmedStarts() {
        let phone = Device.any()
        let starting = (1...5).map { number -> ActivityCard in
            let over = Activity(.ends(2, activity: "a\(number)", at: noon + 60), id: "a\(number)")
            return ActivityCard(activity: over, card: .any(of: over, on: phone, .starting, startedAt: noon))
        }
        let next = Activity(.shows(1, activity: "next"), id: "next")
        let cards = starting + [ActivityCard(activity: next, card: .any(of: next, on: phone))]
        func run(at now: Date) -> DeviceReconciliation {
            var run = DeviceReconciliation(device: phone, cards: cards, limits: .apns, now: now)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            return run
        }
        let freedAt = noon + 8 * 3600 + 600
        let before = run(at: freedAt - 1)
        #expect(before.pushes.isEmpty && before.dueAt == freedAt)
        let after = run(at: freedAt)
        #expect(after.pushes.map(\.activity) == [next.id])
        #expect(after.cards.map(\.card.state) == Array(repeating: .starting, count: 6))
    }

    @Test("Of many waiting cards a device starts the ones that arrive first, as many as it may show")
    func nearestFirst() {
        let seconds = Int(noon.timeIntervalSince1970)
        let cards = (0..<300).map { number in
            let name = "a\(number)"
            let activity = Activity(.shows(1, activity: name, arrival: seconds + (299 - number) * 60), id: name)
            return ActivityCard(activity: activity, card: .any(of: activity, on: device))
        }
        var reconciliation = DeviceReconciliation(device: device, cards: cards, limits: .stream, now: noon)
        reconciliation.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(Set(reconciliation.pushes.map(\.activity.rawValue)) == ["a295", "a296", "a297", "a298", "a299"])
        #expect(reconciliation.reasons.values.count { $0 == .tooManyCards } == 295)
    }
}
