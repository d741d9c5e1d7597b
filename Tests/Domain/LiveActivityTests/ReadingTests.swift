import Foundation
import SeededRandom
import Testing

@testable import LiveActivity

@Suite("Reading a card")
struct ReadingTests {
    static let arrival = Window(from: Sample.sixPM + 600, to: Sample.sixPM + 820)

    static func content(_ sample: Sample.Case) -> GroceryDeliveryAttributes.ContentState {
        .init(sample.delivery, arrival: arrival, step: 0)
    }

    @Test("A timer never runs while paused, on hold, silent, at the door or ended", arguments: Sample.setsByStatus)
    func timer(sets: Sample.Sets) {
        for sample in sets.cases {
            let range = Self.content(sample).timerRange(now: Sample.sixPM)
            let pauses = sample.flags.contains { [.onHold, .courierSilent, .needsCustomer].contains($0) }
            let isOnWay =
                Sample.preparing.contains(sample.status) || [.pickedUp, .enRoute, .arriving].contains(sample.status)
            #expect(range == (isOnWay && !pauses ? Sample.sixPM...Sample.sixPM + 820 : nil), "\(sample)")
        }
    }

    @Test("A timer never runs on hold, also with an arrival", arguments: Sample.statuses)
    func hold(status: DeliverySnapshot.Status) {
        var content = Self.content(Sample.Case(status: status, courierStatus: nil, flags: []))
        content.arrival = Self.arrival
        content.flags = ["on_hold"]
        #expect(content.timerRange(now: Sample.sixPM) == nil)
    }

    @Test("A timer ends with the arrival and is not on a stale card")
    func timerEnds() {
        let content = Self.content(Sample.Case(status: .enRoute, courierStatus: nil, flags: []))
        #expect(content.timerRange(now: Self.arrival.to - 1) == Self.arrival.to - 1...Self.arrival.to)
        #expect(content.timerRange(now: Self.arrival.to) == nil)
        #expect(content.timerRange(now: Sample.sixPM, isStale: true) == nil)
        #expect(content.minutesText(now: Sample.sixPM) == "14m")
        #expect(content.minutesText(now: Sample.sixPM + 40) == "13m")
        #expect(content.minutesText(now: Sample.sixPM - 3600 + 500) == "1h06m")
        #expect(content.minutesText(now: Self.arrival.to - 1) == "1m")
        #expect(content.minutesText(now: Self.arrival.to) == nil)
    }

    @Test("A tap on a card opens its details, and never a link that does something", arguments: Sample.setsByStatus)
    func tap(sets: Sample.Sets) {
        for sample in sets.cases {
            var content = Self.content(sample)
            let details = content.buttons.first { $0.verb == "details" }
            #expect(details != nil && content.tapURL?.absoluteString == details?.url, "\(sample)")
            content.buttons.removeAll { $0.verb == "details" }
            #expect(content.tapURL == nil, "\(sample)")
        }
    }

    @Test("What SwiftUI counts through is the timer's range as dates")
    func timerDates() throws {
        let content = Self.content(Sample.Case(status: .enRoute, courierStatus: nil, flags: []))
        let now = Date(timeIntervalSince1970: Double(Sample.sixPM) + 0.7)
        let dates = try #require(content.timerInterval(now: now))
        let end = Date(timeIntervalSince1970: Double(Self.arrival.to))
        #expect(dates == Date(timeIntervalSince1970: Double(Sample.sixPM))...end)
        #expect(content.arrivalDates == Date(timeIntervalSince1970: Double(Self.arrival.from))...end)
        #expect(content.timerInterval(now: end) == nil)
        #expect(content.timerInterval(now: now, isStale: true) == nil)
        #expect(content.timerInterval(now: Date(timeIntervalSince1970: .infinity)) == nil)
    }

    @Test("A window that was sent upside down makes dates in order")
    func upsideDownWindow() throws {
        let window = try JSONDecoder().decode(Window.self, from: Data(#"{"from":200,"to":100}"#.utf8))
        #expect(window.dates == Date(timeIntervalSince1970: 100)...Date(timeIntervalSince1970: 200))
    }

    @Test("After a press a card keeps its PIN while the courier is near, and not once the goods are handed over")
    func pinAfterPress() {
        var delivery = Sample.delivery(.atDoor)
        delivery.proofs = [.init(kind: .pin, state: .missing)]
        delivery.pin = "0417"
        let card = GroceryDeliveryAttributes.ContentState(delivery, arrival: nil, step: 0)
        func pin(after next: DeliverySnapshot) -> String? {
            var answer = GroceryDeliveryAttributes.ContentState(next, arrival: nil, step: 1)
            answer.pin = nil
            return card.afterPress("Done", answering: answer).pin
        }
        #expect(pin(after: delivery) == "0417")
        delivery.isHandedOver = true
        #expect(pin(after: delivery) == nil)
    }

    @Test("The accessibility label is the card's own words in sentences")
    func accessibilityLabel() {
        let step = Sample.Case(status: .enRoute, courierStatus: nil, flags: [.batched]).step
        let english = step.content.spokenLabel(step.attributes, words: Words(locale: "en"), now: Sample.sixPM)
        #expect(
            english
                == "Nordhavn, order G-1042, bag 1 of 2: Mira is on the way. Arrives between 18:24 and 18:31. 2 stops before you. 1 item swapped."
        )
        let danish = step.content.spokenLabel(step.attributes, words: Words(locale: "da"), now: Sample.sixPM)
        #expect(
            danish
                == "Nordhavn, ordre G-1042, pose 1 af 2: Mira er på vej. Kommer mellem 18:24 og 18:31. 2 stop før dig. 1 vare byttet ud."
        )
        let stale = step.content.spokenLabel(
            step.attributes, words: Words(locale: "en"), now: Sample.sixPM, isStale: true)
        #expect(stale.contains("Likely between 18:24 and 18:31"))
        let late = step.content.spokenLabel(step.attributes, words: Words(locale: "en"), now: Sample.sixPM + 9999)
        #expect(!late.contains("between") && !late.contains("Promised"))
    }

    @Test(
        "Every card has an accessibility label in every language, in sentences", arguments: Words.languages,
        Sample.setsByStatus)
    func everyAccessibilityLabel(language: String, sets: Sample.Sets) {
        for sample in sets.cases {
            let label = sample.step.content.spokenLabel(
                sample.step.attributes, words: Words(locale: language), now: Sample.sixPM)
            #expect(
                label.hasSuffix(".") && label.firstMatch(of: /[{}\[\]#_·]|, ,|\.\.|[?]\.|[0-9]{9,}/) == nil,
                "\(sample): \(label)")
        }
    }

    @Test("A stale card is spoken as one, in every language", arguments: Words.languages, Sample.setsByStatus)
    func staleLabel(language: String, sets: Sample.Sets) {
        let words = Words(locale: language)
        for sample in sets.cases where !sample.isEnd {
            let (content, attributes) = (sample.step.content, sample.step.attributes)
            func label(isStale: Bool, isStaleSaid: Bool = false) -> String {
                content.spokenLabel(
                    attributes, words: words, now: Sample.sixPM, isStale: isStale, isStaleSaid: isStaleSaid)
            }
            // A headline that there is no news needs nothing more.
            let isSilent = content.headline.code.hasPrefix("courier_silent")
            #expect((label(isStale: true) != label(isStale: false)) == !isSilent, "\(sample)")
            #expect(!label(isStale: true, isStaleSaid: true).contains(words.label(.spokenStale, [:])), "\(sample)")
        }
    }

    @Test("Only a card with buttons for the answers is said to have them", arguments: Words.languages)
    func answers(language: String) throws {
        let words = Words(locale: language)
        func hasAnswers(_ step: ActivityStep) -> Bool {
            step.content.spokenLabel(step.attributes, words: words, now: Sample.sixPM)
                .contains(words.label(.spokenAnswers, [:]))
        }
        let question = Sample.Case(status: .picking, courierStatus: .toStore, flags: [.needsCustomer]).step
        #expect(hasAnswers(question))
        #expect(!hasAnswers(question.lastWord(at: Sample.sixPM, endsAt: Sample.sixPM + 60)))
        let summary = try #require(
            ActivityStep.summary(of: try SummaryTests.deliveries([.picking, .enRoute]), activity: "s", version: 1))
        #expect(summary.content.isWaitingForCustomer && !hasAnswers(summary))
    }

    @Test("Each phase has its own colour and each card a symbol", arguments: Sample.statuses)
    func symbols(status: DeliverySnapshot.Status) {
        let phases = KnownPhase.allCases.map { phase -> String in
            var content = Self.content(Sample.Case(status: status, courierStatus: nil, flags: []))
            content.phase = Phase(rawValue: phase.rawValue)
            #expect(!content.symbolName.isEmpty)
            return content.tint.rawValue
        }
        #expect(Set(phases).count == KnownPhase.allCases.count)
    }

    @Test("Goods that are handed over have a symbol, a colour and words of their own", arguments: Words.languages)
    func handedOver(language: String) {
        let words = Words(locale: language)
        let waiting = Self.content(Sample.Case(status: .atDoor, courierStatus: nil, flags: []))
        var delivery = Sample.delivery(.atDoor)
        delivery.isHandedOver = true
        let content = GroceryDeliveryAttributes.ContentState(delivery, arrival: nil, step: 0)
        #expect(content.phase == waiting.phase && content.symbolName == "checkmark.circle" && content.tint == .gray)
        for key in ["phase.handed_over", "phase.handed_over.short"] {
            #expect(words.catalogue.message(key) != nil, "\(key)")
        }
        #expect(words.phase(waiting) == words.phase(waiting.phase) && words.phase(content) != words.phase(waiting))
        #expect(words.shortPhase(waiting) == words.shortPhase(waiting.phase))
        let short = words.shortPhase(content)
        #expect(short != words.shortPhase(waiting) && (1...8).contains(short.count), "\(short)")
    }

    @Test("Goods that are handed over have the first promise neither in the row for the time nor in the label")
    func handedOverPromise() {
        let words = Words(locale: "en")
        for isHandedOver in [false, true] {
            var delivery = Sample.delivery(.atDoor)
            delivery.isHandedOver = isHandedOver
            let step = ActivityStep.after(delivery, arrival: nil, step: 0)
            let row = words.expected(step.content, step.attributes, now: Sample.sixPM, isStale: false)
            #expect((row == nil) == isHandedOver, "\(row ?? "")")
            let label = step.content.spokenLabel(step.attributes, words: words, now: Sample.sixPM)
            #expect(label.contains("Promised") != isHandedOver, "\(label)")
        }
    }
}

@Suite("The summary of several deliveries")
struct SummaryTests {
    static func deliveries(_ statuses: [DeliverySnapshot.Status]) throws -> [SummarizedDelivery] {
        try statuses.enumerated().map { index, status in
            var delivery = Sample.delivery(status, flags: status == .picking ? [.needsCustomer] : [])
            delivery.activity = "a-\(index)"
            return SummarizedDelivery(try StepTests.shown(delivery, arrival: Sample.arrival(of: status)))
        }
    }

    @Test("It counts the deliveries, and shows the next window")
    func headline() throws {
        let deliveries = try Self.deliveries([.staged, .enRoute, .accepted])
        let step = try #require(ActivityStep.summary(of: deliveries, activity: "summary-c-1", version: 2))
        let words = Words(locale: "en")
        #expect(words.headline(step.content, step.attributes, now: Sample.sixPM) == "3 deliveries · next 18:24–18:31")
        #expect(step.content.arrival != nil)
        #expect(
            words.arrival(step.content, step.attributes, now: Sample.sixPM, isStale: false) == nil,
            "its headline has the window")
        #expect(step.content.headline.text == "3 deliveries")
        #expect(
            words.detail(step.content, step.attributes, now: Sample.sixPM) == "Next from Nordhavn · Mira is on the way")
        #expect(step.content.phase == .several && step.attributes.delivery == nil && step.attributes.itemCount == 3)
        #expect(step.content.buttons.map(\.verb) == ["details"])
        guard case .show(let shown) = step else { return }
        #expect(shown.relevance == 1000 && shown.alert == nil)
        #expect(shown.staleAt <= Sample.arrival(of: .enRoute)?.to ?? 0)
    }

    @Test("It counts down to the arrival of a courier who is followed, and to no other's")
    func countdown() throws {
        func step(of next: DeliverySnapshot) throws -> ActivityStep {
            let shown = SummarizedDelivery(try StepTests.shown(next, arrival: Sample.arrival(of: .enRoute)))
            return try #require(
                ActivityStep.summary(of: try Self.deliveries([.accepted]) + [shown], activity: "s", version: 1))
        }
        var untracked = Sample.delivery(.enRoute)
        untracked.courierTracking = .untracked
        let silent = Sample.delivery(.enRoute, flags: [.courierSilent])
        for next in [untracked, silent] {
            let content = try step(of: next).content
            #expect(content.arrival == nil && content.timerRange(now: Sample.sixPM) == nil)
            #expect(content.headline.values["to"] == String(Sample.sixPM + 31 * 60), "the next window is still there")
        }
        let followed = try step(of: Sample.delivery(.enRoute)).content
        #expect(followed.timerRange(now: Sample.sixPM)?.upperBound == Sample.sixPM + 31 * 60)
    }

    @Test("It shows which delivery needs the customer, and its button leads there")
    func needsCustomer() throws {
        var deliveries = try Self.deliveries([.enRoute, .picking, .accepted])
        var step = try #require(ActivityStep.summary(of: deliveries, activity: "s", version: 1))
        #expect(step.content.detail?.text == "1 needs your answer")
        #expect(step.content.flags == ["needs_customer"])
        deliveries += try Self.deliveries([.picking])
        step = try #require(ActivityStep.summary(of: deliveries, activity: "s", version: 1))
        #expect(step.content.detail?.text == "2 need your answer")
    }

    @Test("What is at the door is next, and what returns is last")
    func nearest() throws {
        let step = try #require(
            ActivityStep.summary(
                of: try Self.deliveries([.returning, .enRoute, .atDoor]), activity: "s", version: 1))
        #expect(step.content.headline.values == ["count": "3"])
        #expect(step.content.detail?.text == "Next from Nordhavn · Mira is at your door")
        let back = try #require(
            ActivityStep.summary(of: try Self.deliveries([.returning, .enRoute]), activity: "s", version: 1))
        #expect(back.content.arrival == Sample.arrival(of: .enRoute))
        var handedOver = Sample.delivery(.atDoor)
        handedOver.isHandedOver = true
        let gone = SummarizedDelivery(try StepTests.shown(handedOver, arrival: nil))
        let coming = try #require(
            ActivityStep.summary(of: [gone] + (try Self.deliveries([.enRoute])), activity: "s", version: 1))
        #expect(coming.content.arrival == Sample.arrival(of: .enRoute))
    }

    @Test("Of equal deliveries the one with the lowest bag is next and asks first, whatever their ids are")
    func equal() throws {
        let cases: [(status: DeliverySnapshot.Status, flags: Set<DeliverySnapshot.Flag>)] = [
            (.staged, []), (.picking, [.needsCustomer]),
        ]
        for (status, flags) in cases {
            let deliveries = try (1...3).map { number -> SummarizedDelivery in
                var delivery = Sample.delivery(status, flags: flags)
                delivery.activity = "a-\(3 - number)"
                delivery.bag = .init(number: number, count: 3)
                delivery.links = [.init(verb: .details, url: "https://doorstep.example/l/bag-\(number)")]
                return SummarizedDelivery(try StepTests.shown(delivery))
            }
            let step = try #require(ActivityStep.summary(of: deliveries, activity: "s", version: 1))
            #expect(step.content.buttons.map(\.url) == ["https://doorstep.example/l/bag-1"], "\(status)")
        }
    }

    @Test("A delivery that was moved behind another's arrival is not next")
    func moved() throws {
        var moved = Sample.delivery(.staged, flags: [.rescheduled])
        moved.activity = "a-moved"
        moved.originalPromise = Window(from: Sample.sixPM, to: Sample.sixPM + 30 * 60)
        let deliveries = try Self.deliveries([.enRoute, .accepted]) + [SummarizedDelivery(try StepTests.shown(moved))]
        let step = try #require(ActivityStep.summary(of: deliveries, activity: "s", version: 1))
        #expect(step.content.arrival == Sample.arrival(of: .enRoute))
        #expect(step.content.detail?.text == "Next from Nordhavn · Mira is on the way")
    }

    @Test(
        "A promise that does not hold any more is no next window",
        arguments: [(.attempted, []), (.staged, [.onHold]), (.staged, [.rescheduled])]
            as [(DeliverySnapshot.Status, Set<DeliverySnapshot.Flag>)])
    func noWindow(status: DeliverySnapshot.Status, flags: Set<DeliverySnapshot.Flag>) throws {
        let one = SummarizedDelivery(try StepTests.shown(Sample.delivery(status, flags: flags), arrival: nil))
        let step = try #require(ActivityStep.summary(of: [one], activity: "s", version: 1))
        #expect(step.content.headline.values == ["count": "1"])
    }

    @Test("It is the same whatever order its deliveries come in", arguments: UInt64(0)..<20)
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let deliveries = try Self.deliveries([.enRoute, .arriving, .picking, .staged, .accepted])
        let one = ActivityStep.summary(of: deliveries, activity: "s", version: 1)
        let other = ActivityStep.summary(of: deliveries.shuffled(using: &generator), activity: "s", version: 1)
        #expect(one == other)
    }

    @Test("There is none without deliveries, and its end supersedes it")
    func ends() throws {
        #expect(ActivityStep.summary(of: [], activity: "s", version: 1) == nil)
        let step = try #require(
            ActivityStep.summary(of: try Self.deliveries([.enRoute, .staged]), activity: "s", version: 4))
        let end = ActivityStep.endedSummary(step.attributes, live: 1, version: 5, endedAt: Sample.sixPM)
        #expect(end.supersedes(step) && end.content.headline.text == "Goes on with 1 card")
        let done = ActivityStep.endedSummary(step.attributes, live: 0, version: 5, endedAt: Sample.sixPM)
        #expect(done.content.headline.text == "All your deliveries are done")
    }
}
