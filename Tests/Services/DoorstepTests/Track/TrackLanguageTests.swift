import CardPresentation
import CommandOutput
import LiveActivity
import PhoneRules
import Synchronization
import Testing

@testable import Doorstep

@Suite("Danish on the live screen")
struct TrackLanguageTests {
    let cards = FollowedCards()

    @Test(
        "Answers to presses are Danish, whatever the service writes",
        arguments: [
            ("1", DeliverySnapshot.Status.enRoute, "Mira er bedt om at stille varerne ved døren"),
            ("1", .accepted, "Buddet er bedt om at stille varerne ved døren"),
            ("2", .enRoute, "Kontakt Mira · +45 12 34 56 78"), ("3", .enRoute, "Ordre G-1042 fra Nordhavn"),
        ])
    func answers(key: String, status: DeliverySnapshot.Status, text: String) async throws {
        let session = cards.session(locale: "da")
        cards.answer(.success(PressAnswer(sentence: "Contact Mira · +45", phone: key == "2" ? "+45 12 34 56 78" : nil)))
        try await session.receive(FollowedCards.push(status))
        try await session.press(key)
        #expect(await session.answer() == text)
    }

    @Test(
        "Answers to a question of the store name what it is about",
        arguments: [
            ("4", "Oat milk kommer i stedet for Whole milk: 4,50 kr. mere"), ("5", "Whole milk bliver refunderet"),
        ])
    func substitutions(key: String, text: String) async throws {
        let session = cards.session(locale: "da")
        try await session.receive(FollowedCards.push(.picking, flags: [.needsCustomer]))
        try await session.press(key)
        #expect(await session.answer() == text)
    }

    @Test("Refusals are Danish for every kind of failure", arguments: CommandFailure.Kind.allCases)
    func refusals(kind: CommandFailure.Kind) async throws {
        let session = cards.session(locale: "da")
        cards.answer(.failure(CommandFailure(kind, "There is no such thing here; no such link")))
        try await session.receive(FollowedCards.push(.enRoute))
        try await session.press("1")
        let answer = try #require(await session.answer())
        #expect(!answer.contains("such") && !answer.isEmpty)
    }

    @Test("In English the service's own words are shown")
    func english() async throws {
        let session = cards.session()
        cards.answer(.failure(CommandFailure(.conflict, "The courier is already at the door")))
        try await session.receive(FollowedCards.push(.enRoute))
        try await session.press("1")
        #expect(await session.answer() == "The courier is already at the door")
    }

    @Test("Every button is drawn whole", arguments: DeliverySnapshot.Status.allCases)
    func buttons(status: DeliverySnapshot.Status) throws {
        for language in Words.languages {
            for flags in [[], [.needsCustomer], [.onHold]] as [Set<DeliverySnapshot.Flag>] {
                let card = try PreviewedCard(SampleDelivery(status: status, flags: flags), phone: Phone())
                let face = CardFace(card.card, words: Words(locale: language), now: card.now, in: .terminal)
                let row = ButtonRow(buttons: face.buttons, hasDigits: true, columns: LockScreenDrawing.innerColumns)
                #expect(!row.line.text.contains("…"), "\(language) \(status) \(flags): \(row.line.text)")
            }
        }
    }

    @Test("The key that a question names for yes means yes, and in another language it means no")
    func yes() async throws {
        for (locale, key, isConfirmed) in [("da", "j", true), ("da", "y", true), ("en", "y", true), ("en", "j", false)]
        {
            let session = FollowedCards().session(locale: locale)
            try await session.receive(FollowedCards.push(.accepted))
            try await session.press("6\(key)")
            #expect(await !session.screen.keys.confirmed.isEmpty == isConfirmed, "\(locale) \(key)")
        }
    }

    @Test("Questions and what waits fit in two rows of a card, their keys too", arguments: Words.languages)
    func questionsFit(language: String) {
        let words = Words(locale: language)
        let cancel = CardAction.press(CardButton(verb: "cancel", title: "Cancel delivery", url: "u"))
        for action in [cancel, .dismiss, .switchOff] {
            for text in [words.question(action), words.countdown(action, seconds: 10)] {
                let rows = text.wrapped(to: LockScreenDrawing.innerColumns, linesMax: 2)
                #expect(!rows.joined().contains("…"), "\(text)")
                let yes = language == "da" ? "[j]" : "[y]"
                #expect(rows.joined().contains(yes) || rows.joined().contains("[u]"))
            }
        }
    }
}
