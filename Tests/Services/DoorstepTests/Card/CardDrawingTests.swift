import ArgumentParser
import CardPresentation
import CommandLineTestSupport
import CommandOutput
import LiveActivity
import PhoneRules
import Synchronization
import Testing

@testable import Doorstep

@Suite("The card in a terminal")
struct CardDrawingTests {
    typealias Status = DeliverySnapshot.Status
    typealias Flag = DeliverySnapshot.Flag

    static let longName = "Supermarkedet på Hjørnet af Nørrebrogade og Jagtvej, København"
    static let wideName = "渋谷スーパーマーケット東口店とても長い名前のお店でございますけれども"

    /// Every picture of a delivery there is, with what it is called.
    private func pictures(
        _ delivery: SampleDelivery, words: Words, appearance: Appearance = .dark, isStale: Bool = false,
        permission: Phone.Permission = .allowed
    ) throws -> [(name: String, drawing: Drawing)] {
        var pictures: [(name: String, drawing: Drawing)] = []
        let others: [[Phone.OtherApp]] = [[], [.longBefore], [.init(.app, updatedAt: .max)]]
        for presentation in Presentation.allCases {
            for others in others where presentation == .minimal || others.isEmpty {
                var phone = Phone(permission: permission)
                phone.otherApps = others
                let card = try PreviewedCard(delivery, phone: phone, isStale: isStale)
                pictures += presentation.drawings(
                    of: card.card, on: card.phone, words: words, now: card.now, appearance: appearance)
            }
        }
        return pictures
    }

    private func text(_ title: String, _ pictures: [(name: String, drawing: Drawing)]) -> String {
        pictures.map { "\(title) — \($0.name)\n\($0.drawing.text)\n\n" }.joined()
    }

    @Test("Every status looks as agreed in every presentation", arguments: Status.allCases)
    func golden(status: Status) throws {
        // The other languages are held to the same bounds, and drawn by the same code.
        for language in ["en", "da", "de", "ar"] {
            let words = Words(locale: language)
            let delivery = SampleDelivery(status: status, flags: [])
            var all = text("dark", try pictures(delivery, words: words))
            all += text("always-on", try pictures(delivery, words: words, appearance: .alwaysOn))
            if !delivery.isEnded { all += text("stale", try pictures(delivery, words: words, isStale: true)) }
            let card = try PreviewedCard(delivery, phone: Phone())
            for event in card.events.suffix(1) { all += words.sentence(event) + "\n" }
            try expectGolden(all, "card/\(language)/\(status.rawValue).txt")
        }
    }

    @Test("Beside a call a card is in the circle, and behind a call and a newer app it is on the Lock Screen alone")
    func besideOthers() throws {
        func pictures(_ kinds: [Phone.OtherApp.Kind]) throws -> [(name: String, text: String)] {
            var phone = Phone()
            phone.otherApps = kinds.map { Phone.OtherApp($0, updatedAt: .max) }
            let card = try PreviewedCard(SampleDelivery(status: .enRoute, flags: []), phone: phone)
            return Presentation.allCases.flatMap { presentation in
                presentation.drawings(
                    of: card.card, on: card.phone, words: Words(locale: "en"), now: card.now, appearance: .dark)
            }.map { ($0.name, $0.drawing.text) }
        }
        #expect(try pictures([]).map(\.name) == ["lock-screen", "expanded", "compact"])
        let beside = try pictures([.call])
        #expect(beside.map(\.name) == ["lock-screen", "expanded", "minimal, detached"])
        #expect(beside.last?.text.contains("call") == true)
        #expect(try pictures([.call, .app]).map(\.name) == ["lock-screen"])
        #expect(try Preview.parse(["--beside", "call", "--beside", "app"]).beside == [.call, .app])
    }

    @Test("Flags look as agreed on the Lock Screen", arguments: Flag.allCases)
    func goldenFlags(flag: Flag) throws {
        let delivery = SampleDelivery(status: .enRoute, flags: [flag])
        let all = text("dark", try pictures(delivery, words: Words(locale: "en")))
        try expectGolden(all, "card/flags/\(flag.rawValue).txt")
    }

    @Test("Every card fits: 60 columns exactly, 8 rows at most, with the longest names", arguments: Status.allCases)
    func fits(status: Status) throws {
        let flagSets: [Set<Flag>] =
            [[]] + Flag.allCases.map { [$0] } + [
                [.onHold, .needsCustomer], [.courierSilent, .delayed], Set(Flag.allCases),
            ]
        let situations: [(isStale: Bool, permission: Phone.Permission)] = [
            (false, .allowed), (true, .allowed), (false, .notYetAllowed),
        ]
        for (name, language) in [(Self.longName, "da"), (Self.wideName, "en")] {
            for flags in flagSets {
                for situation in situations {
                    let delivery = SampleDelivery(
                        status: status, flags: flags, store: name, courierName: name, item: name, substitute: name,
                        missingItem: name)
                    let pictures = try pictures(
                        delivery, words: Words(locale: language), isStale: situation.isStale,
                        permission: situation.permission)
                    expectFit(pictures, "\(status) \(flags) \(name)")
                }
            }
        }
    }

    private func expectFit(_ pictures: [(name: String, drawing: Drawing)], _ what: String) {
        for (name, drawing) in pictures {
            #expect(drawing.lines.allSatisfy { $0.columns == 60 }, "\(what): \(name)\n\(drawing.text)")
            let innerRowsMax = name == "compact" || name.hasPrefix("minimal") ? 1 : LockScreenDrawing.innerRowsMax
            #expect(drawing.lines.count - 2 <= innerRowsMax, "\(what): \(name)\n\(drawing.text)")
        }
    }

    @Test("A page's reader hears that the promise is late or moved, and not how many items are picked")
    func announced() {
        func announcement(
            _ flags: Set<Flag>, found: Int = 12, status: Status = .picking, language: String = "en"
        ) -> String {
            var delivery = SampleDelivery(status: status, flags: flags).snapshot
            delivery.foundCount = found
            let step = ActivityStep.after(delivery, arrival: nil, step: 1)
            let card = PhoneCard(showing: step, since: delivery.statusSince, at: delivery.statusSince)
            return CardFace(card, words: Words(locale: language), now: delivery.statusSince, in: .page).announcement
        }
        let moved = announcement([.rescheduled], found: 12)
        #expect(moved == "Nordhavn is picking your groceries. Moved to a new time: 19:00–20:00")
        #expect(announcement([.rescheduled], found: 13) == moved)
        #expect(
            announcement([.delayed, .rescheduled], found: 12)
                == "Nordhavn is picking your groceries. Later than promised, sorry. Moved to a new time: 19:00–20:00")
        #expect(announcement([], found: 12) == "Nordhavn is picking your groceries")
        // The detail begins with an explanation, an instruction or what an answer does.
        #expect(
            announcement([.onHold, .rescheduled]) == "Your delivery is on hold. Moved to a new time: 19:00–20:00")
        #expect(
            announcement([.needsCustomer, .delayed]) == "Oat milk instead of Whole milk? Later than promised, sorry")
        let arabic = announcement([.needsCustomer, .delayed], language: "ar")
        #expect(arabic.contains("\u{61F} ") && !arabic.contains("\u{61F}."), "\(arabic)")
        #expect(
            announcement([.delayed], status: .atDoor) == "Mira is at your door. Later than promised, sorry")
    }

    @Test("Goods that are handed over by the courier's word are at no door on the island, the page and its tab")
    func handedOver() {
        var delivery = SampleDelivery(status: .atDoor, flags: []).snapshot
        delivery.isHandedOver = true
        let step = ActivityStep.after(delivery, arrival: nil, step: 1)
        let card = PhoneCard(showing: step, since: delivery.statusSince, at: delivery.statusSince)
        func face(in medium: CardMedium) -> CardFace {
            CardFace(card, words: Words(locale: "en"), now: delivery.statusSince, in: medium)
        }
        let (page, island) = (face(in: .page), IslandDrawing(face: face(in: .terminal)))
        let texts = [
            island.compact.text, island.minimalDetached.text, page.glyph, page.shortPhase, page.headline,
            page.announcement, page.detail ?? "",
        ]
        #expect(texts.allSatisfy { !$0.lowercased().contains("door") && !$0.contains("⌂") }, "\(texts)")
        #expect(island.compactLeading == "Handover" && page.glyph == "✓" && page.tint == .gray)
    }

    @Test("An answer of any length fits in the buttons' place", arguments: Status.allCases)
    func answerFits(status: Status) throws {
        let card = try PreviewedCard(SampleDelivery(status: status, flags: [.delayed]), phone: Phone())
        let face = CardFace(card.card, words: Words(locale: "en"), now: card.now, in: .terminal)
        for answer in [
            "Asked Mira to leave it at the door ✓", String(repeating: "too late ", count: 60), Self.wideName,
        ] {
            let drawing = LockScreenDrawing(face: face, answer: answer, question: "May it?").drawing
            expectFit([("lock-screen", drawing)], "\(status)")
            #expect(drawing.text.contains(answer.prefix(8)))
            expectFit([("expanded", IslandDrawing(face: face, answer: answer).expanded)], "\(status)")
        }
    }

    @Test(
        "A question that is too long for one row has two, and neither product is cut off alone",
        arguments: Words.languages)
    func longQuestion(language: String) throws {
        let delivery = SampleDelivery(
            status: .picking, flags: [.needsCustomer], item: "Whole organic milk from Arla in a carton",
            substitute: "Semi-skimmed organic milk from Thise")
        let words = Words(locale: language)
        let card = try PreviewedCard(delivery, phone: Phone())
        let face = CardFace(card.card, words: words, now: card.now, in: .terminal)
        let text = LockScreenDrawing(face: face).rows.map(\.text).joined(separator: " ")
        #expect(text.contains("Semi-skimmed organic milk from Thise") && text.contains("Arla in a carton"))
        let names = face.headline.matches(of: /(?:Semi-skimmed|Whole)[A-Za-z -]*…/).map(\.output.count)
        #expect(names.count == 2 && abs(names[0] - names[1]) <= 1, "\(face.headline)")
    }

    @Test("Nothing of the line is reached while the store has not confirmed the order")
    func unconfirmed() throws {
        for (status, isReached) in [(Status.placed, false), (.accepted, true)] {
            let card = try PreviewedCard(SampleDelivery(status: status, flags: []), phone: Phone())
            let face = CardFace(card.card, words: Words(locale: "en"), now: card.now, in: .terminal)
            #expect(LockScreenDrawing(face: face).drawing.text.contains("●") == isReached)
            #expect(IslandDrawing(face: face).expanded.text.contains("●") == isReached)
        }
    }

    @Test("A card of a courier whom nobody follows never says that there is no news from them")
    func untracked() throws {
        for status in [Status.pickedUp, .enRoute, .arriving] {
            let delivery = SampleDelivery(status: status, flags: [.courierSilent], courierTracking: .untracked)
            for isStale in [false, true] {
                for (name, drawing) in try pictures(delivery, words: Words(locale: "en"), isStale: isStale) {
                    #expect(!drawing.text.contains("No news from"), "\(name)")
                }
            }
        }
    }

    @Test("Sides of the compact island are eight columns at most", arguments: Status.allCases)
    func compactSides(status: Status) throws {
        for language in Words.languages {
            let card = try PreviewedCard(SampleDelivery(status: status, flags: []), phone: Phone())
            let island = IslandDrawing(
                face: CardFace(card.card, words: Words(locale: language), now: card.now, in: .terminal))
            #expect(island.compactLeading.columns <= 8)
            #expect(island.compactTrailing.columns <= 8)
            #expect(!island.compactLeading.contains("…"), "\(island.compactLeading)")
        }
    }

    @Test("Always-on shows clock times and no timer", arguments: Status.allCases)
    func alwaysOn(status: Status) throws {
        let words = Words(locale: "en")
        let delivery = SampleDelivery(status: status, flags: [])
        let card = try PreviewedCard(delivery, phone: Phone())
        let face = CardFace(card.card, words: words, now: card.now, isAlwaysOn: true, in: .terminal)
        #expect(face.remaining == nil)
        for (name, drawing) in try pictures(delivery, words: words, appearance: .alwaysOn) {
            #expect(!drawing.text.contains(/\d m(in)?\b/), "\(name)")
        }
    }

    @Test(
        "A side of the island that has no room for the half of a day has the time in 24 hours",
        arguments: Words.languages)
    func narrowSides(language: String) throws {
        let card = try PreviewedCard(SampleDelivery(status: .enRoute, flags: []), phone: Phone())
        func island(_ hourCycle: HourCycle) -> (face: CardFace, drawing: IslandDrawing) {
            let words = Words(locale: language, hourCycle: hourCycle)
            let face = CardFace(card.card, words: words, now: card.now, isAlwaysOn: true, in: .terminal)
            return (face, IslandDrawing(face: face))
        }
        let (twelve, whole) = (island(.hours12), island(.hours24))
        #expect(twelve.face.remainingShortest == whole.face.remainingShortest)
        let side = try #require(twelve.face.remainingShort)
        #expect(side.columns <= 8 && !twelve.drawing.compactTrailing.contains("…"), "\(side)")
    }

    @Test("A timer with room beside it says that it counts to the end of the window", arguments: Words.languages)
    func within(language: String) throws {
        let card = try PreviewedCard(SampleDelivery(status: .enRoute, flags: []), phone: Phone())
        let face = CardFace(card.card, words: Words(locale: language), now: card.now, in: .terminal)
        let (text, remaining) = (try #require(face.within), try #require(face.remaining))
        #expect(text.contains(remaining) && text != remaining)
        #expect(LockScreenDrawing(face: face).rows.contains { $0.text.hasSuffix(text) })
        #expect(IslandDrawing(face: face).expanded.text.contains(text))
        // The compact island's side has eight columns.
        #expect(!IslandDrawing(face: face).compact.text.contains(text))
    }

    @Test("What others named cannot steer the terminal")
    func escapes() throws {
        let evil = "Nord\u{1B}[2Jhavn\u{202E}\r\n"
        let delivery = SampleDelivery(status: .enRoute, flags: [], store: evil, courierName: evil)
        let card = try PreviewedCard(delivery, phone: Phone())
        for (_, drawing) in try pictures(delivery, words: Words(locale: "en")) {
            for line in drawing.lines {
                #expect(!line.text.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
            }
        }
        let sentence = Words(locale: "en").sentence(try #require(card.events.last))
        #expect(!sentence.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
    }

    @Test("An unchanged sentence is printed once; one that returns after another is printed again")
    func sentenceOnce() throws {
        let printed = Mutex<[String]>([])
        let lines = SentenceLines(words: Words(locale: "en")) { line in printed.withLock { $0.append(line) } }
        let calm = try #require(
            try PreviewedCard(SampleDelivery(status: .enRoute, flags: []), phone: Phone()).events.last)
        let late = try #require(
            try PreviewedCard(SampleDelivery(status: .enRoute, flags: [.delayed]), phone: Phone()).events.last)
        for event in [calm, calm, late, late, calm] { lines.changed(event) }
        let sentences = printed.withLock { $0 }
        #expect(sentences.count == 3 && sentences[0] == sentences[2] && sentences[0] != sentences[1])
    }

    @Test("Colours change no letter, and without them no escape is written")
    func colors() throws {
        let delivery = SampleDelivery(status: .enRoute, flags: [])
        for (_, drawing) in try pictures(delivery, words: Words(locale: "en")) {
            for appearance in Appearance.allCases {
                let palette = Palette(appearance: appearance)
                #expect(palette.render(drawing, colors: false) == drawing.lines.map(\.text))
                let colored = palette.render(drawing, colors: true).joined()
                let bare = colored.replacing(/\u{1B}\[[0-9;]*m/, with: "")
                #expect(bare == drawing.lines.map(\.text).joined())
                #expect(colored.hasSuffix("\u{1B}[0m"))
            }
        }
    }
}
