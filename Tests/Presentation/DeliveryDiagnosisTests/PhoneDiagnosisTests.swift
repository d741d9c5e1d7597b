import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Testing

@Suite("What a customer's iPhone explains of its card")
struct PhoneDiagnosisTests {
    private static func activity(
        state: String = "active", why: String? = "up_to_date", isBehind: Bool = false, isConfirmed: Bool = false
    ) -> ActivityBody {
        let sample = SampleTimeline.activity(isBehind: false)
        let card = sample.cards[0]
        return ActivityBody(
            id: sample.id, customer: sample.customer, delivery: sample.delivery, wanted: sample.wanted,
            wantedAt: sample.wantedAt,
            cards: [
                CardBody(
                    card: card.card, device: card.device, transport: "apns", state: state,
                    sent: state == "waiting" ? nil : card.sent, timestamp: nil, answered: card.answered,
                    assumedShown: card.assumedShown, confirmed: isConfirmed ? card.sent : nil, isConnected: nil,
                    lastConnectedAt: nil, startedAt: nil, dismissedAt: nil, isBehind: isBehind, why: why)
            ], timeline: nil)
    }

    private static func diagnosis(_ activity: ActivityBody, _ phone: CustomerPhoneBody) -> Diagnosis {
        Diagnosis(
            MergedTimeline(
                orders: .body(SampleTimeline.orders(SampleDeliveries.delivery(SampleDeliveries.toEnRoute))),
                estimate: .body(SampleTimeline.estimate(arriving: 24)), activities: .body([activity]), phones: [phone]),
            now: SampleDeliveries.at(14), timeZone: .gmt)
    }

    @Test("A key that Apple refuses is said as that, with who can mend it and when it is tried again")
    func refusedKey() {
        let found = Self.diagnosis(
            Self.activity(state: "waiting", why: "halted", isBehind: true),
            SamplePhone.phone(refused: "InvalidProviderToken"))
        #expect(
            found.sentence.contains(
                "iphone-1 gets nothing since 17:02: Apple does not accept the key that Doorstep sends with"))
        #expect(found.sentence.contains("next attempt at 17:17:00"))
        #expect(
            found.advice?.words.contains("apns.key.file") == true && found.advice?.words.contains("no customer") == true
        )
        let madeUp = Self.diagnosis(
            Self.activity(state: "waiting", why: "app_refused", isBehind: true),
            SamplePhone.phone(refused: "TopicDisallowed"))
        #expect(madeUp.sentence.contains("gets nothing since 17:02: Apple does not let this key send to this app"))
        #expect(madeUp.advice?.words.contains("none of yours") == true)
        // Of another replica's circuit the answer to the newest push tells as much.
        let other = Self.diagnosis(
            Self.activity(state: "waiting", why: "halted", isBehind: true),
            SamplePhone.phone(push: SamplePhone.push("halted", reason: "TopicDisallowed")))
        #expect(other.sentence.contains("does not let this key send to this app (TopicDisallowed)"))
        #expect(other.advice?.words.contains("apns.bundle.id") == true)
    }

    @Test("A key that cannot be signed with is said as that, and not as one that Apple refuses")
    func unsigned() {
        let phone = SamplePhone.phone(refused: "no provider token could be signed: no entropy")
        let found = Self.diagnosis(Self.activity(state: "waiting", why: "halted", isBehind: true), phone)
        #expect(found.sentence.contains("Doorstep cannot sign in at Apple with its key (no provider token could be"))
        #expect(found.advice?.words.contains("apns.key.file") == true)
        let overview = PhoneOverview(phone, now: SampleDeliveries.at(14), timeZone: .gmt)
        #expect(overview.refusals.contains { $0.hasPrefix("no push is sent since 17:02: Doorstep cannot sign in") })
        let cards = overview.cards.flatMap { [$0.token, $0.newestPush].compactMap(\.self) }
        let texts = overview.refusals + [overview.starts, overview.report, found.sentence] + cards + overview.measured
        #expect(!texts.contains { $0.contains("refuses") || $0.contains("not accept") })
    }

    @Test("A token that works no more is said as an app that is gone, and what the customer can do")
    func gone() {
        let push = SamplePhone.push("gone", reason: "Unregistered")
        for activity in [
            Self.activity(state: "waiting", why: "no_start_token"), Self.activity(state: "lost", why: "over"),
        ] {
            let found = Self.diagnosis(activity, SamplePhone.phone(hasStartToken: false, push: push))
            #expect(
                found.sentence.contains("the card or the app is not on this phone any more (Unregistered)"),
                "\(found.sentence)")
            #expect(found.advice?.words.contains("tell the customer to install the app") == true)
        }
    }

    @Test("A phone that holds pushes back is not said to show the card, unless its app has told so")
    func throttled() {
        let high = CustomerPhoneBody.Count(sent: 12, shown: 3, missing: 7)
        let found = Self.diagnosis(Self.activity(), SamplePhone.phone(frequentPushesEnabled: false, high: high))
        #expect(
            found.sentence.contains("sent 12, shown at least 3, 7 had not arrived when the app checked, 2 unknown"))
        #expect(found.sentence.hasPrefix("Nothing stops it") && found.sentence.contains("iOS holds them back"))
        #expect(found.advice?.words.contains("allows frequent updates for this app in Settings") == true)
        let confirmed = Self.diagnosis(Self.activity(isConfirmed: true), SamplePhone.phone(high: high))
        #expect(confirmed.sentence.hasPrefix("All is well") && confirmed.advice == nil)
        let few = Self.diagnosis(Self.activity(), SamplePhone.phone(high: .init(sent: 12, shown: 1, missing: 2)))
        #expect(few.sentence.hasPrefix("All is well"))
    }

    @Test("What Apple accepted and nobody confirmed is told apart from what the app has told")
    func assumed() {
        let accepted = "its only card is up to date, as far as known: Apple accepted the push"
        #expect(Self.diagnosis(Self.activity(), SamplePhone.phone()).sentence.contains(accepted))
        #expect(
            !Self.diagnosis(Self.activity(isConfirmed: true), SamplePhone.phone()).sentence.contains(
                "as far as known"))
        let missed = Self.diagnosis(Self.activity(), SamplePhone.phone(push: SamplePhone.push(missedAt: 13.5)))
        #expect(missed.sentence.contains("had not received the newest push when its app checked at 17:13"))
    }

    @Test("An empty budget says when it has filled, and a refusal by iOS what iOS said")
    func starts() {
        let budget = Self.diagnosis(
            Self.activity(state: "waiting", why: "start_budget", isBehind: true),
            SamplePhone.phone(nextStartAt: SampleDeliveries.at(30)))
        #expect(budget.sentence.contains("has used up its budget of new cards for now, until 17:30"))
        let full = Self.diagnosis(
            Self.activity(state: "waiting", why: "start_failed"),
            SamplePhone.phone(startFailure: .init(code: "targetMaximumExceeded", until: SampleDeliveries.at(20))))
        #expect(full.sentence.contains("as many cards of this app as iOS allows"))
        let off = Self.diagnosis(
            Self.activity(state: "waiting", why: "switched_off"), SamplePhone.phone(activitiesEnabled: false))
        #expect(off.sentence.contains("its owner has switched Live Activities off"))
        #expect(off.advice?.words.contains("Settings") == true)
    }

    @Test("A push that Apple did not take says why")
    func retrying() {
        let found = Self.diagnosis(
            Self.activity(why: "retrying", isBehind: true),
            SamplePhone.phone(push: SamplePhone.push("refused", reason: "TooManyRequests")))
        #expect(
            found.sentence.contains("Apple says that this phone is sent too much (TooManyRequests); it is sent again"))
    }
}
