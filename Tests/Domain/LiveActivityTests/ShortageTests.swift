import Testing

@testable import LiveActivity

@Suite("What a customer is told of items, money and failures")
struct ShortageTests {
    typealias Item = DeliverySnapshot.Item

    static let bread = Item(
        name: "Rye bread", quantity: 1, state: .soldOut, refund: Amount(minorUnits: 2500, currency: "DKK"))
    static let milk = Item(
        name: "Milk", quantity: 2, state: .substituted,
        substitute: .init(name: "Oat milk", quantity: 2, priceDifference: Amount(minorUnits: 450, currency: "DKK")))

    static func delivery(
        _ status: DeliverySnapshot.Status, _ items: [Item], flags: Set<DeliverySnapshot.Flag> = []
    ) -> DeliverySnapshot {
        var delivery = Sample.delivery(status, flags: flags)
        delivery.items = items
        return delivery
    }

    static func detail(_ delivery: DeliverySnapshot, _ language: String = "en") -> String? {
        let content = ContentTests.content(delivery)
        return Words(locale: language).detail(content, GroceryDeliveryAttributes(delivery), now: Sample.sixPM)
    }

    @Test(
        "One item that the customer gets less of is named, in every language",
        arguments: [
            (Item.State.soldOut, "Rye bread: sold out", "Rye bread var udsolgt"),
            (.removed, "Rye bread: removed", "Rye bread er taget af ordren"),
            (.refunded, "Rye bread: refunded", "Rye bread bliver refunderet"),
            (.short, "Only 1 of 3 × Rye bread", "Kun 1 af 3 × Rye bread"),
        ])
    func named(state: Item.State, english: String, danish: String) {
        let item = Item(name: "Rye bread", quantity: 3, state: state, found: 1)
        for status in [DeliverySnapshot.Status.picking, .staged, .enRoute, .delivered] {
            let delivery = Self.delivery(status, [Self.milk, item])
            #expect(Self.detail(delivery)?.contains(english) == true, "\(status)")
            #expect(Self.detail(delivery, "da")?.contains(danish) == true, "\(status)")
        }
    }

    @Test("Several are counted, and nothing is missing while nothing is")
    func counted() {
        #expect(
            Self.detail(Self.delivery(.staged, [Self.bread, Self.bread, Self.milk]))?.hasPrefix("2 items are missing")
                == true)
        let whole = Self.delivery(.staged, [Self.milk])
        #expect(Self.detail(whole) == "Mira is on the way to Nordhavn · 1 item swapped")
    }

    @Test("While late, what is missing comes before how far the picking is")
    func missingFirst() {
        #expect(
            Self.detail(Self.delivery(.picking, [Self.bread])) == "7 of 17 items in the bag · Rye bread: sold out")
        var nothing = Self.delivery(.picking, [Self.bread])
        (nothing.itemCount, nothing.foundCount) = (1, 0)
        #expect(Self.detail(nothing) == "Rye bread: sold out · 1 item swapped", "there is nothing left to pick")
        let eggs = Item(name: "Eggs", quantity: 10, state: .short, found: 6)
        var short = Self.delivery(.picking, [eggs])
        (short.itemCount, short.foundCount, short.substitutedCount) = (18, 14, 0)
        #expect(Self.detail(short) == "14 of 14 items in the bag · Only 6 of 10 × Eggs", "no more can come")
        let late = Self.delivery(.picking, [Self.bread], flags: [.delayed])
        #expect(Self.detail(late) == "Later than promised, sorry · Rye bread: sold out")
    }

    @Test("A delivered card says what was refunded in all")
    func refunded() {
        var delivery = Self.delivery(.delivered, [Self.bread])
        delivery.endedAt = delivery.originalPromise.to
        #expect(Self.detail(delivery) == "On time · Rye bread: sold out · 25.00 kr. refunded")
        delivery.refund = Amount(minorUnits: 1000, currency: "DKK")
        #expect(Self.detail(delivery, "da") == "Til tiden · Rye bread var udsolgt · 35,00 kr. refunderet")
    }

    @Test("The question says what the swap costs on its button, and aloud")
    func question() {
        var delivery = Sample.delivery(.picking, flags: [.needsCustomer])
        for (minorUnits, english, danish, short, spoken) in [
            (
                450, "Yes, swap it: 4.50 kr. more", "Ja, byt den: 4,50 kr. mere", "Yes: 4.50 kr. more",
                "It costs 4.50 kr. more."
            ),
            (
                -1200, "Yes, swap it: 12.00 kr. less", "Ja, byt den: 12,00 kr. mindre", "Yes: 12.00 kr. less",
                "It costs 12.00 kr. less."
            ),
        ] {
            delivery.proposal = .init(
                id: "p-1", item: "Milk", substitute: "Oat milk", quantity: 1, answerUntil: nil,
                priceDifference: Amount(minorUnits: minorUnits, currency: "DKK"))
            let content = ContentTests.content(delivery)
            #expect(content.buttons[0].title == english)
            #expect(Words(locale: "da").title(content.buttons[0], in: content) == danish)
            #expect(Words(locale: "en").shortTitle(content.buttons[0], in: content) == short)
            let attributes = GroceryDeliveryAttributes(delivery)
            let label = content.spokenLabel(attributes, words: Words(locale: "en"), now: Sample.sixPM)
            #expect(label.contains("Oat milk instead of Milk? \(spoken) "))
        }
    }

    @Test("The number of a substitute's pieces is named unless one replaces one")
    func pieces() {
        var delivery = Sample.delivery(.picking, flags: [.needsCustomer])
        for (quantity, ordered, english) in [
            (1, 1, "Oat milk instead of Milk?"), (1, 3, "1 × Oat milk instead of Milk?"),
            (2, 1, "2 × Oat milk instead of Milk?"), (2, 2, "2 × Oat milk instead of Milk?"),
        ] {
            delivery.proposal = .init(
                id: "p-1", item: "Milk", substitute: "Oat milk", quantity: quantity, ordered: ordered, answerUntil: nil)
            #expect(ContentTests.content(delivery).headline.text == english)
        }
        let swap = DeliverySnapshot.Substitute(name: "Oat milk", quantity: 1)
        let swapped = Item(name: "Milk", quantity: 3, state: .substituted, substitute: swap)
        #expect(
            Self.delivery(.staged, [swapped]).itemLines.map(\.text) == ["3 × Milk: swapped for 1 × Oat milk"])
    }

    @Test("What nobody reported is not picked yet until the picking is over, and then merely what was ordered")
    func notReported() {
        let oats = Item(name: "Oat milk", quantity: 3, state: .pending)
        for status in [DeliverySnapshot.Status.placed, .accepted, .picking] {
            #expect(Self.delivery(status, [oats]).details.map(\.text) == ["3 × Oat milk: not picked yet"])
        }
        for status in [DeliverySnapshot.Status.staged, .enRoute, .atDoor, .delivered, .cancelled] {
            #expect(Self.delivery(status, [oats]).details.map(\.text) == ["3 × Oat milk"])
        }
    }

    @Test("Details tell of each item in the order of the basket, then why, what next and what is refunded")
    func details() {
        var delivery = Self.delivery(
            .failed,
            [
                Item(name: "Bananas", quantity: 6, state: .found, found: 6), Self.milk, Self.bread,
                Item(name: "Eggs", quantity: 2, state: .short, found: 1),
                Item(name: "Salt", quantity: 1, state: .pending), Item(name: "Tea", quantity: 1, state: .removed),
                Item(
                    name: "Butter", quantity: 1, state: .proposed,
                    substitute: .init(
                        name: "Margarine", quantity: 1, priceDifference: Amount(minorUnits: -300, currency: "DKK"))),
                Item(
                    name: "Cream", quantity: 1, state: .refunded, refund: Amount(minorUnits: 1500, currency: "DKK")),
            ])
        delivery.reason = .nobodyHome
        delivery.nextStep = .storeContacts
        #expect(delivery.details.last?.text == "Nordhavn will contact you", "an item's refund is not all of it")
        delivery.refund = Amount(minorUnits: 10_000, currency: "DKK")
        #expect(
            delivery.details.map(\.text) == [
                "6 × Bananas: in the bag", "2 × Milk: swapped for 2 × Oat milk, 4.50 kr. more",
                "Rye bread: sold out, 25.00 kr. refunded", "2 × Eggs: only 1 in the bag, the rest was sold out",
                "Salt", "Tea: removed",
                "Butter: waiting for your answer about Margarine, 3.00 kr. less", "Cream: refunded, 15.00 kr.",
                "Nobody answered the door", "Nordhavn will contact you", "140.00 kr. refunded",
            ])
        let danish = delivery.details.map { Words(locale: "da").text($0, timeZone: "UTC", now: Sample.sixPM) }
        #expect(danish[1] == "2 × Milk: byttet ud med 2 × Oat milk, 4,50 kr. mere")
        #expect(zip(danish, delivery.details).allSatisfy { $0 != $1.text || $0 == "Salt" })
    }

    @Test(
        "Why a delivery went wrong and what comes next are on its card, in every language",
        arguments: DeliverySnapshot.Reason.allCases)
    func reasons(reason: DeliverySnapshot.Reason) throws {
        for status in [DeliverySnapshot.Status.attempted, .returning, .returned, .cancelled, .failed] {
            var delivery = Sample.delivery(status)
            delivery.reason = reason
            delivery.nextStep = .orderAgain
            for language in Words.languages {
                let words = Words(locale: language)
                let why = words.text(Phrase(reason.code), timeZone: "UTC", now: Sample.sixPM)
                let next = words.text(Phrase(.nextOrderAgain), timeZone: "UTC", now: Sample.sixPM)
                let detail = Self.detail(delivery, language)
                #expect(detail?.hasPrefix(why) == true)
                #expect(detail?.contains(next) == true, "\(status)")
            }
            let alert = ActivityStep.after(delivery, arrival: nil, step: 0).alert
            #expect(alert == nil || alert?.body == Phrase(reason.code))
            delivery.reason = nil
            let unexplained = ActivityStep.after(delivery, arrival: nil, step: 0).alert
            #expect(unexplained == nil || unexplained?.body.code == PhraseCode.nextOrderAgain.rawValue)
        }
    }

    @Test("A failed card says why, what comes next and what is refunded; knowing nothing it names who does")
    func failed() {
        var delivery = Sample.delivery(.failed)
        #expect(Self.detail(delivery) == "Contact Nordhavn about what happens next")
        delivery.reason = .damaged
        delivery.nextStep = .redelivery
        delivery.refund = Amount(minorUnits: 12_000, currency: "DKK")
        #expect(
            Self.detail(delivery)
                == "The groceries were damaged on the way · We will bring them another time · 120.00 kr. refunded")
    }

    @Test(
        "Amounts have the digits of their currency and the marks of their language",
        arguments: [
            (450, "DKK", "4.50 kr.", "4,50 kr."), (450, "JPY", "¥450", "450 JPY"),
            (450, "KWD", "0.450 KWD", "0,450 KWD"),
            (5, "EUR", "€0.05", "0,05 €"), (123_456_789, "USD", "$1,234,567.89", "1.234.567,89 USD"),
            (1000, "ISK", "1,000 kr", "1.000 kr"), (-99, "GBP", "£0.99", "0,99 GBP"),
            (12_345, "CLF", "1.2345 CLF", "1,2345 CLF"),
            (.min, "XTS", "92,233,720,368,547,758.08 XTS", "92.233.720.368.547.758,08 XTS"),
        ])
    func amounts(minorUnits: Int, currency: String, english: String, danish: String) throws {
        let amount = Amount(minorUnits: minorUnits, currency: currency)
        #expect(Words(locale: "en").text(amount) == english && Words(locale: "da").text(amount) == danish)
        #expect(Amount(amount.value) == amount)
    }

    @Test(
        "What is no amount is not read as one",
        arguments: ["", "450", "450 kr", "4.50 DKK", "450 dkk", "450  DKK", "DKK 450"])
    func notAmounts(text: String) { #expect(Amount(text) == nil) }

    @Test("A question that is too long is shortened in both of its names alike")
    func fairQuestion() {
        let phrase = Phrase(
            .substitutesProposed,
            [
                "quantity": "2", "substitute": "Semi-skimmed organic milk from Thise",
                "item": "Whole organic milk from Arla in a carton",
            ])
        let text = Words(locale: "en").text(phrase, timeZone: "UTC", now: Sample.sixPM) { $0.count <= 56 }
        #expect(text == "2 × Semi-skimmed organi… instead of Whole organic milk…?")
        #expect(Words(locale: "en").text(phrase, timeZone: "UTC", now: Sample.sixPM) { $0.count <= 200 } == phrase.text)
    }
}

@Suite("A courier whom nobody follows")
struct UntrackedTests {
    static func content(
        _ status: DeliverySnapshot.Status, _ tracking: DeliverySnapshot.CourierTracking,
        flags: Set<DeliverySnapshot.Flag> = [.courierSilent]
    ) -> GroceryDeliveryAttributes.ContentState {
        var delivery = Sample.delivery(status, flags: flags)
        delivery.courierTracking = tracking
        return ContentTests.content(delivery, arrival: Sample.arrival(of: status))
    }

    @Test(
        "Nobody is silent of whom no news is expected",
        arguments: [DeliverySnapshot.CourierTracking.withoutPhone, .untracked])
    func notSilent(tracking: DeliverySnapshot.CourierTracking) {
        for status in [DeliverySnapshot.Status.pickedUp, .enRoute, .arriving] {
            let content = Self.content(status, tracking)
            #expect(content.headline.code == status.rawValue && !content.isUncertain && !content.isTracked)
            #expect(content.timerRange(now: Sample.sixPM) == nil)
            let attributes = GroceryDeliveryAttributes(Sample.delivery(status))
            #expect(
                Words(locale: "en").arrival(content, attributes, now: Sample.sixPM, isStale: false)?.hasPrefix("Likely")
                    == true)
        }
        #expect(Self.content(.enRoute, .tracked).headline.code == "courier_silent")
    }

    @Test("A shop that does not follow its couriers says so")
    func mentioned() {
        #expect(
            Self.content(.enRoute, .untracked, flags: []).detail?.text.hasPrefix("We do not follow Mira on the way")
                == true)
        #expect(Self.content(.enRoute, .withoutPhone, flags: []).detail?.text == "1 item swapped")
    }

    @Test("Its card stays fresh until the arrival ends, or the promise without one")
    func fresh() throws {
        var delivery = Sample.delivery(.enRoute)
        delivery.courierTracking = .untracked
        let arrival = Window(from: Sample.sixPM + 600, to: Sample.sixPM + 4000)
        let shown = try StepTests.shown(delivery, arrival: arrival)
        #expect(shown.staleAt == arrival.to)
        #expect(try StepTests.shown(delivery, arrival: nil).staleAt == delivery.promise.to)
    }
}
