import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import Testing
import TimePresentation

/// One of a card's states, and what is said of it.
private struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var transport = "stream"
    var state = "active"
    /// Versions behind the wanted one; nil for a card that was sent nothing.
    var sentBehind: Int? = 0
    var confirmedBehind: Int?
    var isUpdatedByApp = false
    var scheduledFor: Double?
    var isConnected: Bool?
    var lastConnected: Double?
    var isBehind = false
    var why: String? = "up_to_date"
    /// When its start was sent, where its app has uploaded no token.
    var frozenSince: Double?
    /// Whether it counts as a card that shows it.
    var shows = false
    let note: String?
    var advice: String?
}

@Suite("What is said of a delivery's cards")
struct CardsDiagnosisTests {
    private static let cases = [
        Case(testDescription: "connected and sent", isConnected: true, lastConnected: 14, shows: true, note: nil),
        Case(
            testDescription: "away, and confirmed before", confirmedBehind: 0, isConnected: false, lastConnected: 2,
            shows: true, note: nil),
        Case(
            testDescription: "away", confirmedBehind: 2, isConnected: false, lastConnected: 2,
            note: "ipad was last connected 12 min ago, at 17:02, and confirmed version 5, not yet version 7.2",
            advice: "wait: the phone is offline"),
        Case(
            testDescription: "away and never confirmed", isConnected: false, lastConnected: 2,
            note: "ipad was last connected 12 min ago, at 17:02, and has confirmed nothing yet",
            advice: "wait: the phone is offline"),
        Case(
            testDescription: "never connected", note: "ipad has not been connected since its card was made",
            advice: "tell the customer to open the app"),
        Case(
            testDescription: "away for hours", confirmedBehind: 2, isConnected: false, lastConnected: -111,
            note: "ipad was last connected 2 h 5 min ago, at 15:09, and confirmed version 5, not yet version 7.2",
            advice: "call the customer about what cannot wait"),
        Case(
            testDescription: "away for days", isConnected: false, lastConnected: -4_400,
            note: "ipad was last connected 3 d ago", advice: "wait: the phone is offline"),
        Case(testDescription: "iPhone that Apple took it for", transport: "apns", shows: true, note: nil),
        Case(
            testDescription: "switched off", state: "waiting", sentBehind: nil, isConnected: true, why: "switched_off",
            note: "its owner has switched Live Activities off", advice: "tell the customer to allow"),
        Case(
            testDescription: "never allowed", transport: "apns", state: "waiting", sentBehind: nil,
            why: "no_start_token", note: "never allowed", advice: "tell the customer to open the app"),
        Case(
            testDescription: "full", state: "waiting", sentBehind: nil, isConnected: true, why: "too_many_cards",
            note: "shows as many cards as it may", advice: "end a card"),
        Case(
            testDescription: "tomorrow's", state: "waiting", sentBehind: nil, isConnected: true, why: "not_yet",
            note: "device ipad gets its card later: when picking begins"),
        Case(
            testDescription: "another customer's", state: "waiting", sentBehind: nil, isConnected: true,
            why: "other_customer", note: "shows another customer's or another store's cards now",
            advice: "sign in, if the device is theirs"),
        Case(
            testDescription: "switched off with a card on the screen", confirmedBehind: 2, isConnected: false,
            lastConnected: 2, why: "switched_off", note: "its owner has switched Live Activities off",
            advice: "tell the customer to allow"),
        Case(
            testDescription: "ended before its card", state: "waiting", sentBehind: nil, isConnected: true,
            why: "ended_before_start", note: "had no card for it when the delivery ended"),
        Case(
            testDescription: "a code of a later version", state: "waiting", sentBehind: nil, why: "moon_phase",
            note: "ipad: waiting, moon_phase"),
        Case(
            testDescription: "swiped away", state: "swiped", isConnected: true, why: "over", note: "swiped it away",
            advice: "does not come back"),
        Case(testDescription: "over", state: "dismissed", isConnected: true, why: "over", note: nil),
    ]

    private static func activity(_ cases: [Case]) -> ActivityBody {
        let sample = SampleTimeline.activity(isBehind: false)
        let wanted = sample.wanted.content.revision
        func earlier(_ versions: Int?) -> Revision? {
            versions.map { $0 == 0 ? wanted : Revision(version: wanted.version - $0, step: 0) }
        }
        let cards = cases.map { one in
            CardBody(
                card: "c", device: "ipad", transport: one.transport, state: one.state, sent: earlier(one.sentBehind),
                timestamp: nil, answered: one.sentBehind.map { _ in "taken" },
                assumedShown: earlier(one.confirmedBehind ?? one.sentBehind), confirmed: earlier(one.confirmedBehind),
                updatedByApp: one.isUpdatedByApp ? earlier(one.confirmedBehind) : nil,
                isConnected: one.isConnected, lastConnectedAt: one.lastConnected.map(SampleDeliveries.at),
                startedAt: nil, dismissedAt: nil, scheduledAt: one.scheduledFor.map(SampleDeliveries.at),
                frozen: one.frozenSince.map { since in
                    FrozenCardBody(
                        since: SampleDeliveries.at(since), staleAt: SampleDeliveries.at(since + 15),
                        endsAt: SampleDeliveries.at(since + 480), leavesAt: SampleDeliveries.at(since + 720))
                }, isBehind: one.isBehind, why: one.why)
        }
        return ActivityBody(
            id: sample.id, customer: sample.customer, delivery: sample.delivery, wanted: sample.wanted,
            wantedAt: sample.wantedAt, cards: cards, timeline: nil)
    }

    private static func diagnosis(_ cases: [Case]) -> CardsDiagnosis {
        CardsDiagnosis([activity(cases)], StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14)))
    }

    @Test("A card shows it only where that is known, and else it is said why and what to do", arguments: cases)
    fileprivate func one(_ one: Case) throws {
        let found = Self.diagnosis([one])
        #expect(found.shown == (one.shows ? 1 : 0))
        #expect(found.notes.count == (one.note == nil ? 0 : 1))
        if let note = one.note { #expect(found.notes.first?.contains(note) == true, "\(found.notes)") }
        if let advice = one.advice {
            #expect(found.advice?.words.contains(advice) == true, "\(found.advice?.words ?? "nothing")")
        }
    }

    @Test("A card of a device that has never connected is not called shown")
    func neverConnected() {
        let never = Case(testDescription: "refused stream", note: nil)
        let lines = ActivityOverview(
            Self.activity([never, Self.cases[0]]), StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14))
        ).cards
        #expect(
            lines == [
                "ipad (stream): card waits for the device; newest push version 7.2; the device has never connected",
                "ipad (stream): card on the screen; newest push version 7.2; probably shows version 7.2, which its app has "
                    + "not confirmed; connected",
            ])
    }

    @Test("All is well only where every card shows it")
    func allOrSome() {
        let (shows, away) = (Self.cases[0], Self.cases[2])
        #expect(Self.diagnosis([shows, shows]).text == "all 2 cards are up to date")
        #expect(
            Self.diagnosis([shows, away]).text.hasPrefix(
                "1 of its 2 cards is up to date; device ipad was last connected"))
        #expect(Self.diagnosis([away, away]).text.hasPrefix("none of its 2 cards is up to date; "))
    }

    @Test("It is said which card its own app brought up to date")
    func updatedByApp() {
        let shows = Self.cases[0]
        let updated = Case(
            testDescription: "updated by its app", transport: "apns", sentBehind: 2, confirmedBehind: 0,
            isUpdatedByApp: true, shows: true, note: nil)
        #expect(
            Self.diagnosis([shows, updated]).text
                == "all 2 cards are up to date, on device ipad because the app updated its card itself")
        let activity = Self.activity([updated, shows])
        let lines = ActivityOverview(activity, StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14))).cards
        #expect(lines[0].contains("brought up to date by its app") && !lines[1].contains("brought up to date"))
    }

    @Test("It is said which card its app has scheduled, and which one started by itself")
    func scheduled() {
        let waits = Case(
            testDescription: "scheduled", transport: "apns", state: "waiting", sentBehind: nil, scheduledFor: 30,
            why: "scheduled", note: nil)
        #expect(
            Self.diagnosis([waits]).text
                == "its only card is not due yet; device ipad starts it at 17:30 by itself, since its app has scheduled "
                + "it")
        let started = Case(
            testDescription: "started by itself", transport: "apns", sentBehind: 0, confirmedBehind: 0,
            scheduledFor: 10, shows: true, note: nil)
        #expect(
            Self.diagnosis([started]).text
                == "its only card is up to date; device ipad started it by itself, since its app had scheduled it")
        let activity = Self.activity([started])
        let lines = ActivityOverview(activity, StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14))).cards
        #expect(lines[0].contains("started by itself"))
    }

    @Test("Cards that are not due yet are no fault, and it is said once when they start")
    func notDue() throws {
        let tomorrow = try #require(
            Promise(start: SampleDeliveries.at(24 * 60), end: SampleDeliveries.at(25 * 60)))
        let sample = SampleTimeline.activity(isBehind: false, [.promise(tomorrow)])
        let waits = Self.activity(Array(repeating: Self.cases[11], count: 2))
        let activity = ActivityBody(
            id: sample.id, customer: sample.customer, delivery: sample.delivery, wanted: sample.wanted,
            wantedAt: sample.wantedAt, cards: waits.cards, timeline: nil)
        let found = CardsDiagnosis([activity], StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14)))
        #expect(
            found.text
                == "its 2 cards are not due yet; the start is at 22 Nov 15:30, or when picking begins")
        #expect(found.advice == nil)
    }

    @Test("Without a card it is said why there is none, and what to do")
    func none() {
        let unregistered = Self.diagnosis([])
        #expect(unregistered.text == "the customer has no app with cards, and follows on the page of the link")
        #expect(unregistered.advice == nil)
        let unknown = CardsDiagnosis([], StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14)))
        #expect(unknown.text.contains("activity-dispatch has not received it"))
        #expect(unknown.advice?.actions == [.checkServices])
        let signedOut = Self.diagnosis([Case(testDescription: "", state: "signed_out", note: nil)])
        #expect(signedOut.text.contains("another customer has signed in on device ipad"))
        #expect(signedOut.advice?.words.contains("to sign in") == true)
    }

    @Test("What is behind says whether a resend helps")
    func behind() throws {
        func diagnosis(_ why: String) -> CardsDiagnosis {
            var one = Case(testDescription: why, note: nil)
            one.why = why
            one.isBehind = true
            return Self.diagnosis([one])
        }
        #expect(diagnosis("start_budget").why == "device ipad has used up its budget of new cards for now")
        #expect(diagnosis("start_budget").behindAdvice?.words.contains("a resend waits for the same") == true)
        #expect(diagnosis("retrying").behindAdvice == nil)
        #expect(diagnosis("queue_full").why.hasPrefix("device ipad waits: more pushes are queued"))
        #expect(diagnosis("app_refused").why.hasPrefix("device ipad gets nothing: Apple accepts no push for its app"))
        #expect(diagnosis("app_refused").behindAdvice?.words.contains("none of yours") == true)
        #expect(diagnosis("budget").why == "budget")
    }

    @Test(
        "Of a card that nothing can change it is said what its customer sees, until when, and that a resend is no use")
    func frozen() throws {
        func frozen(_ state: String, since: Double, _ why: String) -> Case {
            Case(
                testDescription: state, transport: "apns", state: state, sentBehind: 1, isBehind: true, why: why,
                frozenSince: since, note: nil)
        }
        let unanswered = Self.diagnosis([frozen("starting", since: -6, "unconfirmed")])
        #expect(
            unanswered.why
                == "device ipad was sent a new card at 16:54 and its app has reported nothing since: the customer has "
                + "force-quit it, or the phone is off or offline; if the card exists, it shows version 6 until the app is "
                + "opened, is marked as old since 17:09, is ended by iOS at 22 Nov 00:54, leaves the Lock Screen by "
                + "22 Nov 04:54")
        #expect(unanswered.behindAdvice?.words.contains("a resend changes nothing before") == true)
        let seen = Self.diagnosis([frozen("active", since: 5, "no_update_token")])
        #expect(seen.why.contains("as after a force-quit; the card shows version 6 until the app is opened"))
        #expect(seen.why.contains("is marked as old from 17:20 on"))
        let recent = Self.diagnosis([frozen("starting", since: 10, "unconfirmed")])
        #expect(recent.why == "device ipad was sent a new card and has not confirmed that it shows it")
        let lines = ActivityOverview(
            Self.activity([frozen("starting", since: -6, "unconfirmed"), frozen("starting", since: 10, "unconfirmed")]),
            StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14))
        ).cards
        #expect(lines[0].contains("frozen until its app is opened") && !lines[1].contains("frozen"))
    }

    @Test("Every reason that activity-dispatch gives for a card that is on no screen has words")
    func reasons() throws {
        // Those for a card that shows it, or is over.
        let others: Set = ["up_to_date", "ended", "over"]
        let source = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../../Services/activity-dispatch/Domain/Reconciler/Decision.swift"), encoding: .utf8)
        let list = try #require(source.split(separator: "enum Reason").last?.prefix { $0 != "}" })
        let codes = list.matches(of: /case ([a-zA-Z]+)(?: = "([a-z_]+)")?/).map { String($0.output.2 ?? $0.output.1) }
        #expect(codes.count > 10)
        #expect(codes.filter { !others.contains($0) && CardReason(rawValue: $0) == nil } == [])
    }

    private func sentence(_ cases: [Case]) -> String {
        let changes = SampleDeliveries.toEnRoute
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: SampleDeliveries.delivery(changes), entries: [])),
            estimate: .body(SampleTimeline.estimate(arriving: 24)), activities: .body([Self.activity(cases)]))
        return Diagnosis(timeline, now: SampleDeliveries.at(14), timeZone: .gmt).sentence
    }

    @Test("The verdict does not call well what nobody can see")
    func verdict() {
        #expect(sentence([Self.cases[0]]).hasPrefix("All is well: on the way"))
        #expect(sentence([Self.cases[11]]).hasPrefix("Nothing stops it: on the way"))
        #expect(!sentence([Self.cases[2]]).contains("All is well"))
    }
}
