import Foundation
import Testing

@testable import LiveActivity

@Suite("Payloads")
struct PayloadTests {
    /// Sixty characters each, from one byte a character to families of seven code points.
    static let names: [(label: String, bytesPerCharacter: Int, character: String)] = [
        ("ASCII", 1, "w"), ("quotes", 1, "\""), ("Danish", 2, "ø"), ("Japanese", 3, "店"), ("rare Chinese", 4, "𠜎"),
        ("families", 25, "👨‍👩‍👧‍👦"), ("marks", 41, "a" + String(repeating: "\u{301}", count: 20)),
    ]

    static func payloads(_ sample: Sample.Case, character: String) -> [(PushPayload, ActivityStep)] {
        var delivery = Sample.delivery(
            sample.status, courierStatus: sample.courierStatus, flags: sample.flags,
            name: { _ in String(repeating: character, count: 60) })
        delivery.reference = String(repeating: "G", count: 24)
        delivery.timeZone = "America/Argentina/ComodRivadavia"
        delivery.version = 1_000_000
        delivery.shop = .init(light: "#0a6b70", dark: "#5fd0d6")
        let amount = Amount(minorUnits: 1_000_000_000, currency: "DKK")
        delivery.proposal = delivery.proposal.map {
            .init(
                id: $0.id, item: $0.item, substitute: $0.substitute, quantity: 12, answerUntil: $0.answerUntil,
                priceDifference: amount)
        }
        delivery.items = [
            .init(
                name: String(repeating: character, count: 60), quantity: 999, state: .short, found: 998, refund: amount)
        ]
        delivery.reason = .notVerified
        delivery.nextStep = .collectAtStore
        delivery.refund = amount
        let step = ActivityStep.after(delivery, arrival: Sample.arrival(of: .enRoute), step: 1_000_000)
        switch step {
        case .show(let shown):
            return [
                (.start(shown, timestamp: Sample.sixPM, alert: shown.alert), step),
                (.update(shown, timestamp: Sample.sixPM, alert: shown.alert), step),
            ]
        case .ended(let ended):
            return [(.end(ended, timestamp: Sample.sixPM, alert: ended.alert), step)]
        }
    }

    @Test("Every card fits one push with sixty-character names of any script", arguments: names.indices)
    func fits(index: Int) throws {
        for sample in Sample.cases + Sample.largestSets {
            for (payload, _) in Self.payloads(sample, character: Self.names[index].character) {
                #expect(try payload.encoded().count <= 4096, "\(sample) in \(Self.names[index].label)")
                let together =
                    try PushPayload.bytes(payload.aps.contentState).count
                    + (payload.aps.attributes.map { try PushPayload.bytes($0).count } ?? 0)
                #expect(together <= 4096)
                let decoded = try PushPayload(decoding: try payload.encoded())
                #expect(decoded == payload)
            }
        }
    }

    @Test(
        "Nothing is dropped where a character is four bytes or fewer, as in every script's letters",
        arguments: ["w", "ø", "\"", "店", "𠜎"])
    func whole(character: String) {
        for sample in Sample.cases + Sample.largestSets {
            for (payload, step) in Self.payloads(sample, character: character) {
                #expect(payload.aps.contentState == step.content, "\(sample)")
            }
        }
    }

    @Test(
        "Parts are dropped in order, and what a customer acts on never is",
        arguments: Sample.cases + Sample.largestSets)
    func kept(sample: Sample.Case) {
        for (payload, step) in Self.payloads(sample, character: "👨‍👩‍👧‍👦") {
            let content = payload.aps.contentState
            #expect(content.buttons.map(\.url) == step.content.buttons.map(\.url))
            #expect(content.headline.code == step.content.headline.code)
            #expect(content.arrival == step.content.arrival && content.revision == step.content.revision)
            let pausing = GroceryDeliveryAttributes.ContentState.pausingFlags
            #expect(Set(content.flags).intersection(pausing) == Set(step.content.flags).intersection(pausing))
        }
    }

    @Test("The same payload is always the same bytes", arguments: Sample.cases)
    func deterministic(sample: Sample.Case) throws {
        for (one, other) in zip(Self.payloads(sample, character: "𠜎"), Self.payloads(sample, character: "𠜎")) {
            #expect(try one.0.encoded() == other.0.encoded())
        }
    }

    @Test("A name is cut at a character, within its bytes, with an ellipsis")
    func shortened() {
        #expect("Nordhavn".shortened(to: 8) == "Nordhavn")
        #expect("Nordhavn".shortened(to: 5) == "Nord…")
        let marks = String(repeating: "a" + String(repeating: "\u{301}", count: 20), count: 3)
        #expect(marks.shortened(to: 8) == "…")
        #expect("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦".shortened(to: 8) == "👨‍👩‍👧‍👦…")
    }

    @Test("Where a name is shortened, times, counts and amounts stay whole")
    func amountsStay() throws {
        for sample in Sample.largestSets where sample.flags.contains(.needsCustomer) {
            for (payload, step) in Self.payloads(sample, character: "👨‍👩‍👧‍👦") {
                #expect(payload.aps.contentState.priceDifference == step.content.priceDifference)
                #expect(payload.aps.contentState.priceDifference != nil)
            }
        }
    }

    @Test("Every payload passes the check, with the longest names", arguments: Sample.cases + Sample.largestSets)
    func checked(sample: Sample.Case) throws {
        for character in ["w", "👨‍👩‍👧‍👦"] {
            for (payload, step) in Self.payloads(sample, character: character) {
                guard payload.aps.event == .start else { continue }
                let bytes = try payload.checked(attributesBytes: step.attributes.encodedBytes)
                #expect(bytes == (try payload.encoded()))
            }
        }
    }

    @Test(
        "An update and an end pass the check beside the attributes that they were fitted beside",
        arguments: Sample.cases + Sample.largestSets)
    func checkedBeside(sample: Sample.Case) throws {
        guard let step = Self.payloads(sample, character: "👨‍👩‍👧‍👦").first?.1 else { return }
        for attributes in [300, 1500] {
            let payload =
                switch step {
                case .show(let shown):
                    PushPayload.update(shown, timestamp: Sample.sixPM, alert: shown.alert, attributesBytes: attributes)
                case .ended(let ended):
                    PushPayload.end(ended, timestamp: Sample.sixPM, alert: ended.alert, attributesBytes: attributes)
                }
            #expect(try payload.checked(attributesBytes: attributes) == payload.encoded())
        }
    }

    @Test("The bytes that a payload was counted by are sent, and those of a payload that was changed since are not")
    func countedOnce() throws {
        for (payload, _) in Self.payloads(try #require(Sample.cases.first), character: "w") {
            #expect(payload.counted == (try payload.encoded()))
            var changed = payload
            changed.aps.timestamp += 1
            #expect(changed.counted == nil && changed != payload)
            #expect(try PushPayload(decoding: changed.encoded()) == changed)
        }
    }

    @Test("Attributes that are shortened keep the card's id")
    func cardStays() throws {
        var delivery = Sample.delivery(.enRoute)
        delivery.store = String(repeating: "👨‍👩‍👧‍👦", count: 60)
        delivery.reference = delivery.store
        guard case .show(let shown) = ActivityStep.after(delivery, arrival: nil, step: 0) else { return }
        let known = shown.attributes
        let attributes = GroceryDeliveryAttributes(
            card: "7f3c2a10", activity: known.activity, delivery: known.delivery, reference: known.reference,
            store: known.store, bag: known.bag, itemCount: known.itemCount, promise: known.promise,
            timeZone: known.timeZone, shop: .init(light: "#0a6b70", dark: nil))
        let start = PushPayload.start(
            ShownActivity(
                attributes: attributes, content: shown.content, startAt: 0, staleAt: 1, relevance: 0, alert: nil),
            timestamp: 1, alert: nil)
        #expect(start.aps.attributes?.card == "7f3c2a10" && start.aps.attributes?.store != attributes.store)
        #expect(start.aps.attributes?.shop == attributes.shop)
    }

    @Test("Attributes of a store without colours have the bytes that they had before there were any")
    func withoutColours() throws {
        let attributes = GroceryDeliveryAttributes(Sample.delivery(.enRoute))
        #expect(attributes.shop == nil)
        #expect(!String(decoding: try PushPayload.bytes(attributes), as: UTF8.self).contains("shop"))
    }

    @Test("What cannot be made to fit is an error, not a push")
    func tooLarge() throws {
        var delivery = Sample.delivery(.enRoute)
        delivery.links = [.init(verb: .details, url: String(repeating: "x", count: 5000))]
        guard case .show(let shown) = ActivityStep.after(delivery, arrival: nil, step: 0) else { return }
        let payload = PushPayload.start(shown, timestamp: 1, alert: nil)
        #expect(throws: PayloadTooLarge.self) { try payload.encoded() }
    }

    /// An end with one button.
    private static let small = PushPayload(
        aps: .init(
            timestamp: 9, event: .end,
            contentState: .init(
                headline: Phrase(code: "", text: ""), phase: .ended, progress: 1,
                buttons: [CardButton(verb: "details", title: "", url: "https://doorstep.example/l/x")],
                revision: Revision(version: 7, step: 0))))

    @Test("The bytes have sorted keys and slashes as they are")
    func bytes() throws {
        let text = """
            {"aps":{"content-state":{"buttons":[{"title":"","url":"https://doorstep.example/l/x","verb":"details"}],\
            "flags":[],"headline":{"code":"","text":"","values":{}},"phase":"ended","progress":1,\
            "revision":{"step":0,"version":7}},"event":"end","timestamp":9}}
            """
        #expect(String(decoding: try Self.small.encoded(), as: UTF8.self) == text)
        #expect(String(decoding: try Self.small.checked(attributesBytes: 0), as: UTF8.self) == text)
    }

    @Test("What is too large by its alert does not pass the check, though the card's parts would fit")
    func largeAlert() {
        var payload = Self.small
        payload.aps.alert = PushAlert(
            title: .plain(""), body: .plain(String(repeating: "x", count: 4096)), sound: nil)
        #expect(throws: PayloadFault.tooLarge) { try payload.checked(attributesBytes: 0) }
    }

    @Test("A start always has an alert, without sound where there is no event")
    func startAlert() throws {
        let quiet = try StepTests.shown(Sample.delivery(.picking))
        let start = PushPayload.start(quiet, timestamp: 1, alert: quiet.alert)
        #expect(start.aps.alert?.sound == nil && start.aps.alert != nil)
        #expect(start.aps.attributesType == "GroceryDeliveryAttributes" && start.aps.inputPushToken == 1)
        #expect(PushPayload.update(quiet, timestamp: 1, alert: nil).aps.alert == nil)
        let loud = try StepTests.shown(Sample.delivery(.arriving))
        #expect(PushPayload.update(loud, timestamp: 1, alert: loud.alert).aps.alert?.sound == "default")
    }

    @Test("Alerts read as keys with values in order, and as plain words")
    func alertForms() throws {
        let shown = try StepTests.shown(Sample.delivery(.picking, flags: [.needsCustomer]))
        let alert = try #require(PushPayload.start(shown, timestamp: 1, alert: shown.alert).aps.alert)
        #expect(
            alert.body == .localized(key: "%@ instead of %@?", arguments: ["Organic milk 1 l", "Whole milk 1 l"]))
        let words = Words(locale: "da")
        let fallback = shown.content.headline
        #expect(
            words.text(alert.body, fallback: fallback, timeZone: "UTC", now: Sample.sixPM)
                == "Organic milk 1 l i stedet for Whole milk 1 l?")
        let json = #"{"title":"Hello","body":{"loc-key":"of_tomorrow"}}"#
        let mixed = try JSONDecoder().decode(PushAlert.self, from: Data(json.utf8))
        #expect(mixed.title == .plain("Hello") && mixed.sound == nil)
        #expect(mixed.body == .localized(key: "of_tomorrow", arguments: []))
        #expect(words.text(mixed.title, fallback: fallback, timeZone: "UTC", now: Sample.sixPM) == "Hello")
        #expect(words.text(mixed.body, fallback: fallback, timeZone: "UTC", now: Sample.sixPM).contains("i stedet for"))
    }

    @Test("An app can put every alert in its own strings", arguments: Words.languages)
    func strings(language: String) throws {
        let strings = Words(locale: language).alertStrings
        for sample in Sample.allSets {
            guard let alert = sample.step.alert else { continue }
            for phrase in [alert.title, alert.body] {
                guard case .localized(let key, let arguments) = PushText(phrase) else {
                    Issue.record("\(phrase.code) has no key")
                    continue
                }
                let format = try #require(strings[key], "\(key)")
                let filled = String(format: format, arguments: arguments.map { $0 as NSString })
                let words = Words(locale: language)
                #expect(filled == words.text(phrase, timeZone: "UTC", now: Sample.sixPM))
                #expect(
                    filled
                        == words.text(
                            .localized(key: key, arguments: arguments), fallback: alert.title, timeZone: "UTC",
                            now: Sample.sixPM))
            }
        }
    }

    @Test("An app without a string for an alert shows its key, which is then the English text")
    func keyAsText() {
        for sample in Sample.allSets {
            guard let alert = sample.step.alert else { continue }
            for phrase in [alert.title, alert.body] {
                guard case .localized(let key, let arguments) = PushText(phrase) else { continue }
                #expect(String(format: key, arguments: arguments.map { $0 as NSString }) == phrase.text)
            }
        }
    }

    @Test("A key stands for one text in every language", arguments: Words.languages)
    func distinctKeys(language: String) {
        let catalogue = Words(locale: language).catalogue
        let formats = Dictionary(grouping: AlertKey.all, by: \.text).mapValues { keys in
            Set(keys.map { $0.format(in: catalogue) })
        }
        for (key, texts) in formats { #expect(texts.count == 1 && !texts.contains(nil), "\(key): \(texts)") }
    }

    @Test("An end is dismissed at its own date, or at once")
    func ends() throws {
        let step = ActivityStep.after(Sample.delivery(.delivered), arrival: nil, step: 0)
        guard case .ended(let ended) = step else { return }
        let aps = PushPayload.end(ended, timestamp: ended.endedAt + 5, alert: nil).aps
        #expect(aps.dismissalDate == ended.endedAt + 900 && aps.relevanceScore == 0 && aps.attributes == nil)
        #expect(PushPayload.endImmediately(step, timestamp: ended.endedAt).aps.dismissalDate == 0)
        let taken = PushPayload.endImmediately(step, timestamp: ended.endedAt).aps.contentState
        #expect(taken.headline.text.isEmpty && taken.buttons.isEmpty && taken.courier == nil && taken.arrival == nil)
    }

    @Test("Today's app decodes what tomorrow's server sends", arguments: Sample.cases)
    func tomorrow(sample: Sample.Case) throws {
        for (payload, _) in Self.payloads(sample, character: "w") {
            let bytes = Data(try payload.encoded())
            let changed = try JSONSerialization.data(
                withJSONObject: Self.withUnknownCodes(JSONSerialization.jsonObject(with: bytes)))
            let decoded = try PushPayload(decoding: changed)
            #expect(decoded.aps.contentState.phase == Phase(rawValue: "of_tomorrow"))
            #expect(decoded.aps.contentState.revision == payload.aps.contentState.revision)
            let words = Words(locale: "da")
            let attributes = GroceryDeliveryAttributes(sample.delivery)
            #expect(
                words.headline(decoded.aps.contentState, attributes, now: Sample.sixPM)
                    == payload.aps.contentState.headline.text)
            #expect(!decoded.aps.contentState.symbolName.isEmpty && decoded.aps.contentState.tint == .gray)
        }
    }

    /// The same with unknown codes in the place of known ones and an unknown key in each object.
    private static func withUnknownCodes(_ value: Any) -> Any {
        if let array = value as? [Any] { return array.map(withUnknownCodes) }
        guard let object = value as? [String: Any] else { return value }
        var changed = object.mapValues(withUnknownCodes)
        for key in ["phase", "code", "verb", "vehicle", "loc-key"] where object[key] is String {
            changed[key] = "of_tomorrow"
        }
        if object["flags"] != nil { changed["flags"] = ["of_tomorrow"] }
        if object["values"] == nil { changed["key_of_tomorrow"] = ["nested": 1] }
        if let values = object["values"] as? [String: Any] { changed["values"] = values }
        return changed
    }
}
