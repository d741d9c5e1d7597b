import FlowControl
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import ActivityDispatch

@Suite("Freshness")
struct FreshnessTests {
    private let seconds = Int(noon.timeIntervalSince1970)

    private func decision(_ activity: Activity, _ card: Card, at now: Date, _ limits: Limits = .apns) -> Decision {
        decide(activity, card, on: .any(), others: [], limits: limits, now: now)
    }

    private func card(_ sent: ActivityStep, lastPushAt: Date = noon) -> Card {
        .any(of: Activity(sent), on: .any(), .active, sent: sent, startedAt: noon, lastPushAt: lastPushAt)
    }

    // MARK: Heartbeats

    @Test("The same revision with a later stale date is news, and with an earlier one is not")
    func news() {
        var activity = Activity(.shows(1, staleAt: seconds + 600))
        let later = activity.advance(to: .shows(1, staleAt: seconds + 1200))
        let earlier = activity.advance(to: .shows(1, staleAt: seconds + 900))
        #expect(later && !earlier)
        let older = activity.advance(to: .shows(0, 9, staleAt: seconds + 9000))
        #expect(!older)
        let end = activity.advance(to: .ends(1, at: noon))
        let again = activity.advance(to: .shows(1, staleAt: seconds + 9000))
        #expect(end && !again && activity.isEnded)
    }

    @Test(
        "It is sent at priority 5 shortly before the old date, on both transports", arguments: [Limits.apns, .stream])
    func sentInTime(limits: Limits) throws {
        let sent = ActivityStep.shows(1, staleAt: seconds + 600)
        var card = card(sent)
        let activity = Activity(.shows(1, staleAt: seconds + 1800, alert: nil))
        let due = noon + 600 - limits.heartbeatLead
        #expect(decision(activity, card, at: noon + 20, limits) == .wait(until: due, .upToDate))
        let heartbeat = decision(activity, card, at: due, limits)
        #expect(heartbeat == .update(.low, alert: nil))
        let leased = card.lease(heartbeat, activity.wanted, limits: limits, now: due)
        let push = try #require(leased)
        #expect(push.payload.aps.staleDate == seconds + 1800 && push.payload.aps.alert == nil)
        let isNewest = card.record(push, .accepted(), now: due)
        #expect(isNewest)
        #expect(decision(activity, card, at: due + 20, limits) == .wait(until: noon + 7.5 * 3600, .upToDate))
    }

    @Test("A phone that goes on being told is never stale, and one whose writer has died is")
    func phone() throws {
        var phone = Phone(now: seconds)
        var activity = Activity(.shows(1, staleAt: seconds + 1800))
        var card = card(activity.wanted)
        let start = PushPayload.start(try #require(activity.wanted.shown), timestamp: seconds, alert: nil)
        _ = phone.receive(start, card: "c", at: seconds)
        card.lastTimestamp = seconds
        for minute in 1...200 {
            let now = noon + Double(minute * 60)
            if minute.isMultiple(of: 10), minute <= 150 {
                _ = activity.advance(to: .shows(1, staleAt: now.epoch + 1800))
            }
            let due = decision(activity, card, at: now)
            if let push = card.lease(due, activity.wanted, limits: .apns, now: now) {
                _ = card.record(push, .accepted(), now: now)
                _ = phone.receive(push.payload, card: "c", at: now.epoch)
            }
            _ = phone.advance(to: now.epoch)
            #expect((phone[card: "c"]?.state == .active) == (minute < 180), "minute \(minute)")
        }
        #expect(card.urgentPushes.ready(Limits.apns.urgentPushes, at: noon) <= noon, "heartbeats cost no budget")
    }

    @Test("A card that is stale already is told at once")
    func tooLate() {
        let card = card(.shows(1, staleAt: seconds + 600))
        let activity = Activity(.shows(1, staleAt: seconds + 3600))
        #expect(decision(activity, card, at: noon + 1200) == .update(.low, alert: nil))
    }

    @Test("The repeat of a state before it goes stale waits for as long as Apple demands")
    func refusedRepeat() throws {
        let state = ActivityStep.shows(1, staleAt: seconds + 1200)
        let activity = Activity(state)
        var card = card(state)
        let due = noon + 1140
        let refresh = decision(activity, card, at: due)
        #expect(refresh == .update(.low, alert: nil))
        let leased = card.lease(refresh, state, limits: .apns, now: due)
        let push = try #require(leased)
        _ = card.record(push, .refused(reason: "TooManyRequests", retryAfter: 600), now: due)
        #expect(decision(activity, card, at: due + 20) == .wait(until: due + 600, .retrying))
    }

    // MARK: Drift

    /// Plays an arrival that moves by a minute every two minutes.
    ///
    /// - Returns: the arrivals that were sent at priority 10.
    private func creep(_ minutes: Int, tokens: Double, bySecondsEach step: Int) throws -> [Int] {
        let first = ActivityStep.shows(1, 0, arrival: seconds + 3600)
        var card = card(first)
        card.urgentPushes = TokenBucket(tokens: tokens, countedAt: noon)
        card.urgentArrival = seconds + 3600
        var urgent: [Int] = []
        for minute in 1...minutes {
            let now = noon + Double(minute * 120)
            let activity = Activity(.shows(1, minute, arrival: seconds + 3600 + minute * step))
            let due = decision(activity, card, at: now)
            let leased = card.lease(due, activity.wanted, limits: .apns, now: now)
            let push = try #require(leased)
            let isNewest = card.record(push, .accepted(), now: now)
            #expect(isNewest)
            if push.priority == .high { urgent.append(push.wanted.content.arrival?.to ?? 0) }
        }
        return urgent
    }

    @Test("An arrival that creeps away by a minute at a time is told at every five minutes")
    func slowCreep() throws {
        let urgent = try creep(12, tokens: 15, bySecondsEach: 60)
        #expect(urgent == [seconds + 3600 + 300, seconds + 3600 + 600])
    }

    @Test("Back and forth around what was told is told to nobody")
    func jitter() throws {
        let first = ActivityStep.shows(1, 0, arrival: seconds + 3600)
        var card = card(first)
        card.urgentArrival = seconds + 3600
        for number in 1...20 {
            let now = noon + Double(number * 60)
            let offset = number.isMultiple(of: 2) ? 140 : -140
            let activity = Activity(.shows(1, number, arrival: seconds + 3600 + offset))
            let due = decision(activity, card, at: now)
            #expect(due == .update(.low, alert: nil))
            let leased = card.lease(due, activity.wanted, limits: .apns, now: now)
            let push = try #require(leased)
            _ = card.record(push, .accepted(), now: now)
        }
    }

    @Test("A creep that finds the budget empty goes on at the pace of drift")
    func creepWithoutBudget() {
        var card = card(.shows(1, 1, arrival: seconds + 4200))
        card.urgentArrival = seconds + 3600
        card.urgentPushes = TokenBucket(tokens: 0, countedAt: noon)
        let activity = Activity(.shows(1, 2, arrival: seconds + 4230))
        #expect(decision(activity, card, at: noon + 1) == .wait(until: noon + 15, .throttled))
        #expect(decision(activity, card, at: noon + 15) == .update(.low, alert: nil))
    }

    @Test("A first arrival that found the budget empty goes at priority 10 once there is some, however little it moved")
    func firstArrivalWithoutBudget() throws {
        var card = card(.shows(1, 0))
        card.urgentPushes = TokenBucket(tokens: 0, countedAt: noon)
        let first = Activity(.shows(1, 1, arrival: seconds + 3600))
        let due = decision(first, card, at: noon + 15)
        #expect(due == .update(.low, alert: nil))
        let leased = card.lease(due, first.wanted, limits: .apns, now: noon + 15)
        _ = card.record(try #require(leased), .accepted(), now: noon + 15)
        let next = Activity(.shows(1, 2, arrival: seconds + 3630))
        #expect(decision(next, card, at: noon + 60) == .update(.low, alert: nil))
        #expect(decision(next, card, at: noon + 300) == .update(.high, alert: nil))
    }

    // MARK: The summary

    @Test("A summary stays fresh with the delivery that it is about, as the same state")
    func summary() throws {
        func deliveries(staleAt: Int) -> [ShownActivity] {
            (0..<3).compactMap { ActivityStep.shows(1, activity: "a\($0)", staleAt: staleAt).shown }
        }
        var summary = Summary(customer: Activity(.shows(1)).customer)
        _ = summary.update(from: deliveries(staleAt: seconds + 600), now: noon)
        let first = try #require(summary.activity?.wanted)
        let isProlonged = summary.update(from: deliveries(staleAt: seconds + 1800), now: noon + 300)
        let second = try #require(summary.activity?.wanted)
        #expect(isProlonged && second.prolongs(first) && second.shown?.staleAt == seconds + 1800)
        #expect(second.content == first.content)
    }
}

extension ActivityStep {
    fileprivate var shown: ShownActivity? {
        if case .show(let shown) = self { shown } else { nil }
    }
}

extension Date {
    fileprivate var epoch: Int { Int(timeIntervalSince1970) }
}
