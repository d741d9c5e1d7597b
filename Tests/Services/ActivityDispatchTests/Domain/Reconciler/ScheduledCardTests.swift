import Foundation
import LiveActivity
import Messages
import PhoneRules
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Cards that an app has scheduled on its phone")
struct ScheduledCardTests {
    private static let startAt = noon.epochSeconds + 3600
    private let later = Activity(.shows(3, startAt: ScheduledCardTests.startAt))
    private let start = noon + 3600

    private func decided(_ card: Card, of activity: Activity, at now: Date, others: [ActivityCard] = []) -> Decision {
        decide(activity, card, on: .any(), others: others, limits: .apns, now: now)
    }

    private func scheduled(on device: Device = .any()) -> Card {
        var card = Card.any(of: later, on: device)
        card.schedule("Q", at: start, token: "cd")
        return card
    }

    /// Sends the push that is decided, and records its result.
    private func push(
        _ card: inout Card, of activity: Activity, at now: Date, others: [ActivityCard] = [],
        _ result: PushResult = .accepted()
    ) throws -> Push {
        let leased = card.lease(
            decided(card, of: activity, at: now, others: others), activity.wanted, limits: .apns, now: now)
        let push = try #require(leased)
        let isNewest = card.record(push, result, now: now)
        #expect(isNewest)
        return push
    }

    // MARK: - At its time

    @Test("Its phone starts it: it is sent no start, and then what is wanted, by whose answer it counts as there")
    func started() throws {
        var card = scheduled()
        #expect(decided(card, of: later, at: noon) == .wait(until: start + 10, .scheduled))
        #expect(decided(card, of: later, at: start) == .wait(until: start + 10, .scheduled))
        #expect(try push(&card, of: later, at: start + 10).event == .update)
        #expect(card.state == .active && card.startedAt == start && card.sent == later.wanted)
        #expect(card.scheduledAt == start)
    }

    @Test("Where its token is gone then, it is started by push; a failure of ours is tried again")
    func goneToken() throws {
        var card = scheduled()
        _ = try push(&card, of: later, at: start + 10, .refused(reason: "InternalServerError"))
        #expect(card.isScheduled)
        guard case .wait(let retryAt, .retrying) = decided(card, of: later, at: start + 10) else {
            Issue.record("it is not tried again")
            return
        }
        _ = try push(&card, of: later, at: retryAt, .gone(token: "cd"))
        #expect(!card.isScheduled && card.instance == nil && card.updateToken == nil)
        #expect(decided(card, of: later, at: retryAt) == .start(alert: nil))
    }

    @Test("The app's report that it has started counts too, and one that it left before was no swipe")
    func reported() {
        var card = scheduled()
        card.apply(.started(updateToken: nil), at: start + 2)
        #expect(card.state == .active && card.startedAt == start)
        var left = scheduled()
        left.apply(.dismissed, at: start + 60, happenedAt: start - 60)
        #expect(left.state == .waiting && !left.isScheduled)
        var swiped = scheduled()
        swiped.apply(.dismissed, at: start + 60, happenedAt: start + 30)
        #expect(swiped.state == .swiped)
    }

    // MARK: - Before its time

    @Test("A cancelled order's card is ended at once and again after its time, whatever its token answers before")
    func cancelled() throws {
        for result in [PushResult.accepted(), .gone(token: "cd")] {
            var card = scheduled()
            let over = Activity(.ends(4, at: noon + 60))
            let end = try push(&card, of: over, at: noon + 60, result)
            #expect(end.event == .end && end.dismissal == 0 && end.priority == .high)
            #expect(card.state == .dismissed)
            #expect(decided(card, of: over, at: noon + 120) == .wait(until: start + 10, .over))
            let again = try push(&card, of: over, at: start + 10)
            #expect(again.event == .end && again.dismissal == 0 && again.priority == .high)
            #expect(decided(card, of: over, at: start + 11) == .wait(until: start + 130, .over))
            _ = try push(&card, of: over, at: start + 130, .gone(token: "cd"))
            #expect(decided(card, of: over, at: start + 600) == .nothing(.over))
        }
    }

    @Test("Where its start has moved, another takes its place, which starts at the new time", arguments: [-3000, 3600])
    func moved(by seconds: Int) throws {
        let moved = Activity(.shows(4, startAt: Self.startAt + seconds))
        var card = scheduled()
        #expect(decided(card, of: moved, at: noon) == .rollOver)
        var next = Card.any(of: moved, on: .any())
        next.replaces = card.id
        let others = [ActivityCard(activity: moved, card: next)]
        #expect(try push(&card, of: moved, at: noon, others: others).event == .end)
        #expect(card.state == .replaced && card.endRepeatAt == start + 10)
        // A minute is no move.
        let hardly = Activity(.shows(4, startAt: Self.startAt + 60))
        #expect(decided(scheduled(), of: hardly, at: noon) == .wait(until: start + 10, .scheduled))
        // A start that has moved back has its replacement all the same: the phone is not to start a second card.
        let returned = scheduled()
        next.replaces = returned.id
        let decision = decided(
            returned, of: later, at: noon, others: [ActivityCard(activity: later, card: next)])
        #expect(decision == .end(dismissal: 0, becomes: .replaced, alert: nil))
    }

    @Test("One with a replacement is ended after its time too, and once the phone has lost it, no push starts it")
    func replaced() {
        var card = scheduled()
        var next = Card.any(of: later, on: .any())
        next.replaces = card.id
        let others = [ActivityCard(activity: later, card: next)]
        for seconds in [-1, 1, 20] as [TimeInterval] {
            let decision = decided(card, of: later, at: start + seconds, others: others)
            #expect(decision == .end(dismissal: 0, becomes: .replaced, alert: nil))
        }
        card.unschedule()
        #expect(decided(card, of: later, at: start, others: others) == .close(.replaced))
    }

    @Test("An operator, and another customer who signs in, end it too")
    func endedByOperator() {
        var card = scheduled()
        card.mustEnd = true
        #expect(decided(card, of: later, at: noon) == .end(dismissal: 0, becomes: .dismissed, alert: nil))
        let decision = decide(
            later, scheduled(), on: .any(customer: "noor"), others: [], limits: .apns, now: noon)
        #expect(decision == .end(dismissal: 0, becomes: .signedOut, alert: nil))
    }

    @Test("It leaves its slot to a card that is to start now, the one that is displayed last first")
    func leavesSlot() {
        let due = Activity(.shows(3, activity: "due", startAt: 0), id: "due")
        func decisions(scheduled count: Int, active: Int, on device: Device = .any()) -> [Decision] {
            var all = [ActivityCard(activity: due, card: .any(of: due, on: device))]
            for number in 0..<active {
                let activity = Activity(.shows(3, activity: "b\(number)"), id: "b\(number)")
                let card = Card.any(of: activity, on: device, .active, sent: activity.wanted, startedAt: noon)
                all.append(ActivityCard(activity: activity, card: card))
            }
            let scheduled = (0..<count).map { number -> ActivityCard in
                let arrival = Self.startAt + number * 60
                let step = ActivityStep.shows(3, activity: "c\(number)", arrival: arrival, startAt: Self.startAt)
                let activity = Activity(step, id: "c\(number)")
                var card = Card.any(of: activity, on: device)
                card.schedule("Q\(number)", at: start, token: "cd")
                return ActivityCard(activity: activity, card: card)
            }
            let others = OtherCards(all + scheduled)
            return scheduled.map {
                decide($0.activity, $0.card, on: device, among: others, limits: .apns, now: noon)
            }
        }
        let stays = Decision.wait(until: start + 10, .scheduled)
        #expect(decisions(scheduled: 2, active: 2) == [stays, stays])
        #expect(decisions(scheduled: 2, active: 3) == [stays, .rollOver])
        #expect(decisions(scheduled: 2, active: 4) == [.rollOver, .rollOver])
        var phone = Device.any()
        phone.isEnabled = false
        #expect(decisions(scheduled: 2, active: 4, on: phone) == [stays, stays])
    }

    @Test("The slot that it leaves goes to the card that is to start, and a replacement waits for its time")
    func slotChangesHands() {
        let device = Device.any()
        let due = Activity(.shows(3, activity: "due", startAt: 0), id: "due")
        let next = Card.any(of: due, on: device)
        let known = scheduled(on: device)
        let active = (0..<4).map { number -> ActivityCard in
            let activity = Activity(.shows(3, activity: "b\(number)"), id: "b\(number)")
            return ActivityCard(
                activity: activity,
                card: .any(of: activity, on: device, .active, sent: activity.wanted, startedAt: noon))
        }
        let cards = active + [ActivityCard(activity: later, card: known), ActivityCard(activity: due, card: next)]
        var run = DeviceReconciliation(device: device, cards: cards, limits: .apns, now: noon)
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(run.pushes.map(\.event) == [.end, .start] && run.pushes.map(\.card) == [known.id, next.id])
        let replacement = run.cards.last?.card
        #expect(replacement?.replaces == known.id && replacement?.state == .waiting)
        #expect(run.dueAt.map { $0 <= start } ?? false)
    }

    @Test("It has one of the phone's slots")
    func slot() {
        let others = (1...5).map { number -> ActivityCard in
            let isLater = number == 5
            let activity = Activity(
                .shows(3, activity: "b\(number)", startAt: isLater ? Self.startAt : 0), id: "b\(number)")
            var card = Card.any(
                of: activity, on: .any(), isLater ? .waiting : .active, sent: activity.wanted, startedAt: noon)
            if isLater { card.schedule("Q", at: start, token: "cd") }
            return ActivityCard(activity: activity, card: card)
        }
        let activity = Activity(.shows(3))
        let card = Card.any(of: activity, on: .any())
        #expect(decided(card, of: activity, at: noon, others: others) == .nothing(.tooManyCards))
        #expect(decided(card, of: activity, at: noon, others: Array(others.dropLast())) == .start(alert: nil))
    }

    // MARK: - Answers to its app

    private func pending(
        _ card: Card, _ instance: String = "Q", token: PushToken? = "cd", at date: Date?
    ) -> DeviceReport {
        DeviceReport(
            card: card.id, instance: instance, activity: later.id, content: .card(.pending(startAt: date)),
            updateToken: token)
    }

    private func reported(_ cards: [Card], _ reports: [DeviceReport], of activity: Activity? = nil) -> ReportedCards {
        var reported = ReportedCards(
            device: .any(), cards: cards, activities: [later.id: activity ?? later], limits: .apns, now: noon,
            newID: { UUID() })
        for report in reports { reported.apply(report) }
        return reported
    }

    @Test("It counts once its report has a token; without one it starts by push, and no other instance counts")
    func counts() {
        let card = Card.any(of: later, on: .any())
        let without = reported([card], [pending(card, token: nil, at: start)])
        #expect(without.cards == [card] && without.answers.map(\.action) == [.keep])
        // An app that was launched since does not know when it starts.
        #expect(reported([card], [pending(card, at: nil)]).cards == [card])
        let with = reported([card], [pending(card, at: start)])
        #expect(with.cards[0].isScheduled && with.cards[0].instance == "Q" && with.answers.map(\.action) == [.keep])
        let second = reported(with.cards, [pending(card, "R", at: start), pending(card, token: "ef", at: nil)])
        #expect(second.answers.map(\.action) == [.end, .keep])
        #expect(second.cards[0].updateToken?.value == "ef" && second.cards[0].scheduledAt == start)
        let active = Card.any(of: later, on: .any(), .active, sent: later.wanted, startedAt: noon)
        let duplicate = reported([active], [pending(active, at: start)])
        #expect(duplicate.answers.map(\.action) == [.end] && duplicate.cards == [active])
    }

    @Test("An instance that left before its token came is not the card's: the app keeps the one that a push starts")
    func leftWithoutToken() {
        let card = Card.any(of: later, on: .any())
        let left = DeviceReport(card: card.id, instance: "Q", activity: later.id, content: .card(.dismissed))
        let after = reported([card], [pending(card, token: nil, at: start), left])
        #expect(after.cards == [card] && after.observations.isEmpty)
        var starting = after.cards[0]
        starting.state = .starting
        let started = DeviceReport(
            card: card.id, instance: "S", activity: later.id, content: .card(.started(updateToken: "ef")))
        let shown = reported([starting], [started])
        #expect(shown.answers.map(\.action) == [.keep])
        #expect(shown.cards[0].instance == "S" && shown.cards[0].state == .active)
        // Reports of an app that was offline arrive after the start.
        starting.startedAt = noon
        var late = left
        late.at = noon - 300
        let afterwards = reported([starting], [late, started])
        #expect(afterwards.cards[0].instance == "S" && afterwards.cards[0].state == .active)
        late.at = noon + 1
        #expect(reported([starting], [late]).cards[0].state == .swiped)
    }

    @Test("The answer to the app is to end a card that is no longer wanted at its time")
    func unwanted() {
        let over = Activity(.ends(4, at: noon))
        let moved = Activity(.shows(4, startAt: Self.startAt + 3600))
        for (activity, action) in [(over, ReportedCards.Answer.Action.end), (moved, .end), (later, .keep)] {
            let card = scheduled()
            #expect(reported([card], [pending(card, at: nil)], of: activity).answers.map(\.action) == [action])
        }
    }

    @Test("An inventory without it has it start by push, or its successor; with it nothing changes")
    func inventory() {
        let card = scheduled()
        let seen = DeviceReport.SeenInstance(
            instance: "Q", card: card.id, activity: later.id, revision: .init(version: 3, step: 0), state: .pending)
        func inventory(_ seen: [DeviceReport.SeenInstance]) -> DeviceReport {
            DeviceReport(content: .inventory(seen), at: noon)
        }
        #expect(reported([card], [inventory([seen])]).cards == [card])
        let missing = reported([card], [inventory([])])
        #expect(missing.cards.map(\.state) == [.waiting] && !missing.cards[0].isScheduled)
        var next = Card.any(of: later, on: .any())
        next.replaces = card.id
        #expect(reported([card, next], [inventory([])]).cards.map(\.state) == [.replaced, .waiting])
        // What is pending claims nothing: its report may be on its way, or the card is there already.
        let waiting = Card.any(of: later, on: .any(), id: card.id)
        #expect(reported([waiting], [inventory([seen])]).cards == [waiting])
        #expect(reported([waiting], [inventory([seen])]).answers.map(\.action) == [.keep])
        // Nor is an instance that the app has ended the card's.
        let ended = DeviceReport.SeenInstance(
            instance: "Q", card: card.id, activity: later.id, revision: .init(version: 3, step: 0), state: .ended)
        #expect(reported([waiting], [inventory([ended])]).cards == [waiting])
        let starting = Card.any(of: later, on: .any(), .starting, startedAt: noon, id: card.id)
        #expect(reported([starting], [inventory([seen])]).answers.map(\.action) == [.end])
        #expect(reported([starting], [inventory([seen])]).cards[0].instance == nil)
    }

    @Test("From iOS 26 on an app schedules what starts in five minutes to a day, while a slot stays free")
    func wanted() {
        var phone = Device.any()
        phone.osVersion = .scheduling
        func schedule(
            _ seconds: TimeInterval, on device: Device, others: Int = 0, _ change: (inout Card) -> Void = { _ in }
        ) -> WantedBody.Activity.Schedule? {
            let activity = Activity(.shows(3, startAt: (noon + seconds).epochSeconds))
            var card = Card.any(of: activity, on: device)
            change(&card)
            let more = (0..<others).map { Activity(.shows(3, activity: "b\($0)"), id: "b\($0)") }
            return wantedActivities(of: [activity] + more, on: device, cards: [card], limits: .apns, now: noon)
                .first { $0.id == activity.id }?.schedule
        }
        #expect(schedule(3600, on: phone)?.alert == .quiet(.any("a1")))
        #expect(schedule(3600, on: phone)?.instance == nil)
        #expect(schedule(299, on: phone) == nil && schedule(24 * 3600 + 1, on: phone) == nil)
        #expect(schedule(3600, on: .any()) == nil && schedule(3600, on: .any("tv", .stream)) == nil)
        #expect(schedule(3600, on: phone, others: 3) != nil && schedule(3600, on: phone, others: 4) == nil)
        #expect(schedule(3600, on: phone) { $0.schedule("Q", at: start, token: "cd") }?.instance == "Q")
        #expect(schedule(7200, on: phone) { $0.schedule("Q", at: start, token: "cd") } == nil)
    }
}
