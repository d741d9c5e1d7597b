import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("The facts of a card's pushes")
struct PushFactsTests {
    private func push(
        _ version: Int, _ event: Push.Event = .update, wanted: TimeInterval? = 0, sent: TimeInterval = 0,
        seen: TimeInterval? = nil, missed: TimeInterval? = nil, result: String? = "taken", delay: PushDelay? = nil
    ) -> LedgerPush {
        LedgerPush(
            id: version, event: event, priority: 10, revision: Revision(version: version, step: 0),
            sentAt: noon + sent, result: result, seenAt: seen.map { noon + $0 }, missedAt: missed.map { noon + $0 },
            wantedAt: wanted.map { noon + $0 }, delay: delay)
    }

    private func totals(_ pushes: LedgerPush...) -> CardTotals {
        var facts = PushFacts()
        for push in pushes { facts.add(push) }
        return facts.measured
    }

    private func causes(_ totals: CardTotals) -> [String] {
        CardTotals.lateCauses.filter { totals[$0.count] > 0 }.map(\.cause)
    }

    @Test("A state counts once: a repeat, a prolongation and a push that certainly did not arrive are no change")
    func changes() {
        let totals = totals(
            push(1, .start, seen: 3), push(2, result: "not_sent"), push(2, seen: 4), push(2, sent: 60, seen: 61),
            push(3, result: "refused"), push(4, result: nil))
        #expect(totals[.changes] == 2 && totals.changeSeconds.count == 1 && totals[.starts] == 1)
        #expect(totals.startSeconds.percentile(0.5) == 5)
    }

    @Test("A start whose app never reported it is not shown")
    func neverShown() {
        let totals = totals(push(1, .start))
        #expect(totals[.starts] == 1 && totals.startSeconds.count == 0 && totals[.changes] == 0)
    }

    @Test("What was sent and shown in time is not late, and of what no app reported nothing is known")
    func inTime() {
        #expect(causes(totals(push(1, seen: 30))) == [])
        #expect(causes(totals(push(1, sent: 20, delay: .reason(.throttled)))) == [])
        #expect(causes(totals(push(1, missed: 20))) == [])
    }

    @Test(
        "A late change has the cause for which its push waited, else the phone's",
        arguments: [
            (PushDelay.reason(.throttled), "throttle"), (.reason(.startBudget), "budget"), (.budget, "budget"),
            (.reason(.noUpdateToken), "no_token"), (.reason(.unconfirmed), "no_token"), (.reason(.retrying), "other"),
        ])
    func waited(delay: PushDelay, cause: String) {
        #expect(causes(totals(push(1, sent: 31, delay: delay))) == [cause])
        #expect(causes(totals(push(1, sent: 6, missed: 40, delay: delay))) == [cause])
        // It waited for a moment, and the phone for longer.
        let short = delay == .budget ? "budget" : "offline"
        #expect(causes(totals(push(1, sent: 2, missed: 40, delay: delay))) == [short])
    }

    @Test("One that was sent at once waited for the phone only where an app ran later and did not have it")
    func offline() {
        #expect(causes(totals(push(1, sent: 1, seen: 4_000))) == [], "the app was not opened before")
        #expect(causes(totals(push(1, sent: 1, seen: 4_000, missed: 90))) == ["offline"])
        #expect(causes(totals(push(1, sent: 1, missed: 90))) == ["offline"])
        #expect(causes(totals(push(1, sent: 1, seen: 20, missed: 90))) == [])
    }

    @Test("Repeats of a state are one change, which the phone showed with the first that arrived")
    func repeats() {
        let totals = totals(
            push(1, .start), push(2, sent: 1, result: nil), push(2, sent: 8, seen: 9, missed: 8), push(3, sent: 1),
            push(3, sent: 20, missed: 90))
        #expect(totals[.changes] == 2 && totals.changeSeconds.count == 1)
        #expect(totals.changeSeconds.percentile(1) == 10 && causes(totals) == ["offline"])
    }

    @Test("A start that was sent again is timed from the push that the app's report is of")
    func startedAgain() {
        let first = totals(push(1, .start, seen: 4, result: "unknown"), push(1, .start, sent: 60, seen: 64))
        #expect(first[.starts] == 1 && first.startSeconds.percentile(1) == 5)
        let second = totals(push(1, .start, result: "unknown"), push(1, .start, sent: 60, seen: 61))
        #expect(second.startSeconds.percentile(1) == 1)
        let unseen = totals(push(1, .start, seen: 4, result: "unknown"), push(1, .start, sent: 60))
        #expect(unseen.startSeconds.percentile(1) == 5)
    }

    @Test("A row from before the times of changes were kept is no change")
    func former() {
        #expect(totals(push(1, wanted: nil, seen: 90))[.changes] == 0)
    }
}
