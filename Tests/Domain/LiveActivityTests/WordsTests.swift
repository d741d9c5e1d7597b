import Foundation
import Testing

@testable import LiveActivity

@Suite("Words")
struct WordsTests {
    @Test("Every language has every text, with the same arguments", arguments: Words.languages)
    func sameValues(language: String) {
        let (catalogue, english) = (Words(locale: language).catalogue, TextCatalogue.english)
        #expect(Set(catalogue.keys) == Set(english.keys))
        for key in english.keys {
            // Whether a sentence has a word for a time may depend on the half of the day.
            let own = catalogue.message(key)?.names.filter { $0 != "half" || key != "format.time_in_sentence" }
            #expect(own?.sorted() == english.message(key)?.names.sorted(), "\(key)")
        }
    }

    @Test("No article is before a time, which may begin with its day", arguments: ["es", "it", "pt"])
    func articles(language: String) throws {
        let texts: [String: Language] = ["es": .spanish, "it": .italian, "pt": .portuguese]
        for (key, text) in try #require(texts[language]).texts {
            #expect(text.firstMatch(of: /\b(las|le|as|os|los) \{\w+, time/) == nil, "\(key): \(text)")
        }
    }

    @Test("Every code has its texts")
    func complete() {
        let codes =
            PhraseCode.allCases.map { "phrase.\($0.rawValue)" } + CardLabel.allCases.map { "label.\($0.rawValue)" }
            + KnownPhase.allCases.flatMap { ["phase.\($0.rawValue)", "phase.\($0.rawValue).short"] }
            + Verb.allCases.flatMap { ["verb.\($0.rawValue)", "verb.\($0.rawValue).short"] }
            + DeliverySnapshot.Flag.allCases.map { "flag.\($0.rawValue)" }
        for code in codes { #expect(TextCatalogue.english.message(code)?.parts.isEmpty == false, "\(code)") }
    }

    @Test("No phrase is left in English", arguments: Words.languages.dropFirst())
    func translated(language: String) {
        // The line of an item has no word of ours but the item's name.
        for code in PhraseCode.allCases where code != .lineOrdered {
            let own = Words(locale: language).catalogue.phrase(code)?.parts
            #expect(own != TextCatalogue.english.phrase(code)?.parts, "\(code) is not translated")
        }
    }

    @Test("Each plural has every form of its language", arguments: Words.languages)
    func plurals(language: String) throws {
        // Millions of items are in nobody's bag.
        let millions: Set<String> = ["ca", "es", "fr", "it", "pt"].contains(language) ? ["many"] : []
        let needed = Set(PluralRule(language: language).categories.map(\.rawValue)).subtracting(millions)
        let catalogue = Words(locale: language).catalogue
        for key in catalogue.keys {
            let forms = try #require(catalogue.message(key)).pluralForms.filter { !$0.hasPrefix("=") }
            // Zero may be written as a number, and two stops in a word of their own.
            let optional: Set<String> = ["zero", "two"]
            #expect(forms.isEmpty || Set(forms).isSuperset(of: needed.subtracting(optional)), "\(key): \(forms)")
        }
    }

    @Test(
        "Every status and flag is rendered completely in every locale", arguments: Words.languages, Sample.setsByStatus)
    func everything(language: String, sets: Sample.Sets) {
        for sample in sets.cases {
            let words = Words(locale: language)
            let content = sample.step.content
            let attributes = sample.step.attributes
            let texts =
                [words.headline(content, attributes, now: Sample.sixPM)]
                + [words.detail(content, attributes, now: Sample.sixPM)].compactMap { $0 }
                + content.buttons.map { words.title($0, in: content) }
                + content.buttons.map { words.shortTitle($0, in: content) }
                + [words.phase(content.phase), words.shortPhase(content.phase)] + content.flags.compactMap(words.flag)
            #expect(
                texts.allSatisfy { !$0.isEmpty && $0.firstMatch(of: /[{}\[\]#]|[0-9]{9,}|_/) == nil },
                "\(sample): \(texts)")
            #expect(content.flags.compactMap(words.flag).count == content.flags.count, "\(sample)")
            if language != "en" {
                #expect(words.headline(content, attributes, now: Sample.sixPM) != content.headline.text, "\(sample)")
            }
        }
    }

    @Test("A compact side is never wider than eight columns", arguments: Words.languages, KnownPhase.allCases)
    func compact(language: String, phase: KnownPhase) {
        let short = Words(locale: language).shortPhase(Phase(rawValue: phase.rawValue))
        #expect((1...8).contains(short.count))
    }

    @Test(
        "A locale is found by its language; any other is English",
        arguments: [
            ("da", "da"), ("da-DK", "da"), ("da_DK.UTF-8", "da"), ("DA", "da"), ("en-GB", "en"), ("de-DE", "de"),
            ("ar_EG", "ar"), ("pt-BR", "pt"), ("fi", "en"), ("", "en"), ("C", "en"), ("dansk", "en"),
        ])
    func locale(name: String, language: String) { #expect(Words(locale: name).language == language) }

    @Test("Times are those of the store's time zone, 24 hours in both locales")
    func times() {
        func time(_ zone: String, _ locale: String = "en") -> String {
            Words(locale: locale).time(Sample.sixPM, timeZone: zone, now: Sample.sixPM)
        }
        #expect(time("Europe/Copenhagen") == "18:00" && time("Europe/Copenhagen", "da") == "18:00")
        #expect(time("America/New_York") == "12:00")
        #expect(time("Nowhere/AtAll") == "17:00 (UTC)" && time("UTC") == "17:00")
    }

    @Test("The sketches' lines come out as they are drawn")
    func sketches() {
        let words = Words(locale: "en")
        let step = Sample.Case(status: .enRoute, courierStatus: nil, flags: [.batched]).step
        let (content, attributes) = (step.content, step.attributes)
        #expect(words.headline(content, attributes, now: Sample.sixPM) == "Mira is on the way")
        #expect(words.arrival(content, attributes, now: Sample.sixPM, isStale: false) == "Arrives 18:24–18:31")
        #expect(words.arrival(content, attributes, now: Sample.sixPM, isStale: true) == "Likely 18:24–18:31")
        #expect(words.promise(attributes, now: Sample.sixPM) == "promised 18:15–18:45")
        #expect(words.bag(attributes) == "bag 1 of 2")
        #expect(words.items(attributes) == "18 items")
        #expect(words.detail(content, attributes, now: Sample.sixPM) == "2 stops before you · 1 item swapped")
        #expect(words.remaining(seconds: 820) == "14 min")
        #expect(words.remaining(seconds: 3665) == "1 h 2 min")
        #expect(Words(locale: "da").remaining(seconds: 820) == "14 min.")
        #expect(words.stepNames == ["Accepted", "Packed", "Picked up", "Door"])
        #expect(
            words.leavesScreen(at: Sample.sixPM + 42 * 60, timeZone: "Europe/Copenhagen", now: Sample.sixPM)
                == "leaves this screen 18:42")
        let silent = Sample.Case(status: .enRoute, courierStatus: nil, flags: [.courierSilent]).step
        #expect(words.headline(silent.content, silent.attributes, now: Sample.sixPM) == "No news from Mira since 18:12")
        #expect(silent.content.headline.text == "No news from Mira")
        var delivered = Sample.delivery(.delivered)
        delivered.isLeftAtDoor = true
        let end = ActivityStep.after(delivered, arrival: nil, step: 0)
        #expect(words.headline(end.content, end.attributes, now: Sample.sixPM) == "At your door, 18:27")
    }

    @Test("A Danish device shows the same card in Danish")
    func danish() {
        let words = Words(locale: "da-DK")
        let silent = Sample.Case(status: .enRoute, courierStatus: nil, flags: [.courierSilent]).step
        #expect(
            words.headline(silent.content, silent.attributes, now: Sample.sixPM) == "Intet nyt fra Mira siden kl. 18:12"
        )
        let one = Phrase(.foundOf, ["found": "1", "items": "1"])
        #expect(words.text(one, timeZone: "UTC", now: Sample.sixPM) == "1 af 1 vare er i posen")
        #expect(Words(locale: "en").text(one, timeZone: "UTC", now: Sample.sixPM) == "1 of 1 item in the bag")
    }

    @Test("A promise that moved to another day shows the day")
    func anotherDay() {
        var delivery = Sample.delivery(.accepted, flags: [.rescheduled])
        delivery.promise = Window(from: Sample.sixPM + 16 * 3600, to: Sample.sixPM + 17 * 3600)
        let step = ActivityStep.after(delivery, arrival: nil, step: 0)
        let english = Words(locale: "en").detail(step.content, step.attributes, now: Sample.sixPM)
        #expect(english == "Moved to another day: Sun 22 Nov, 10:00–11:00 · Picking has not started yet")
        let danish = Words(locale: "da").detail(step.content, step.attributes, now: Sample.sixPM)
        #expect(danish == "Flyttet til en anden dag: søn. 22. nov. kl. 10:00–11:00 · Plukningen er ikke begyndt endnu")
        #expect(step.content.detail?.text == "Moved to another day · Picking has not started yet")
    }

    @Test("Unknown codes are rendered in the English that came with them")
    func unknown() {
        let words = Words(locale: "da")
        let phrase = Phrase(code: "drone_landed", values: [:], text: "The drone has landed")
        #expect(words.text(phrase, timeZone: "UTC", now: Sample.sixPM) == "The drone has landed")
        let half = Phrase(code: "en_route+drone_landed", values: ["courier": "Mira"], text: "Mira flies")
        #expect(words.text(half, timeZone: "UTC", now: Sample.sixPM) == "Mira flies")
        let missing = Phrase(code: "en_route", values: [:], text: "On the way")
        #expect(words.text(missing, timeZone: "UTC", now: Sample.sixPM) == "On the way")
        let button = CardButton(verb: "wave", title: "Wave", url: "https://doorstep.example/l/x")
        let content = Sample.Case(status: .enRoute, courierStatus: nil, flags: []).step.content
        #expect(words.title(button, in: content) == "Wave" && words.shortTitle(button, in: content) == "Wave")
        #expect(words.phase(Phase(rawValue: "up_in_the_air")) == "up in the air")
        #expect(words.shortPhase(Phase(rawValue: "up_in_the_air")).count == 8)
        #expect(words.flag("haunted") == nil)
        #expect(words.vehicle("drone") == "drone")
    }

    @Test("Values are inserted unchanged, whatever characters they contain")
    func values() {
        let odd = "{store:time} [#] A|B"
        let phrase = Phrase(.enRoute, ["courier": odd])
        #expect(phrase.text == "\(odd) is on the way")
        let proposed = Phrase(.substituteProposed, ["item": "{substitute}", "substitute": "{item}"])
        #expect(
            Words(locale: "en").text(proposed, timeZone: "UTC", now: Sample.sixPM) == "{item} instead of {substitute}?")
    }

    @Test("No text contains an emoji")
    func plain() {
        for language in Words.languages {
            let catalogue = Words(locale: language).catalogue
            for key in catalogue.keys {
                let text = "\(catalogue.message(key)?.parts ?? [])"
                #expect(!text.unicodeScalars.contains { $0.properties.isEmojiPresentation }, "\(text)")
            }
        }
    }
}
