import APIClient
import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import StackClient
import Testing
import WireCoding

@testable import Doorstep

@Suite("Opening a link in Danish")
struct OpenPhrasesTests {
    private func answer(
        _ verb: Verb, status: DeliverySnapshot.Status, flags: Set<DeliverySnapshot.Flag> = [], phone: String? = nil,
        pieces: String? = nil, isPressable: Bool = true, isOnCard: Bool = true
    ) throws -> LinkAnswer {
        let sample = SampleDelivery(status: status, flags: flags)
        let card = try PreviewedCard(sample, phone: Phone(hasIsland: true, permission: .allowed), isStale: false).card
        var content = card.content
        if let pieces {
            let values = content.headline.values.merging(["quantity": pieces]) { _, new in new }
            content.headline = Phrase(code: "substitutes_proposed", values: values, text: content.headline.text)
        }
        let body = LinkBody(
            verb: verb, delivery: DeliveryID(UUID()), message: "The service's own words", isPressable: isPressable,
            why: nil, phone: phone, attributes: card.attributes, content: content)
        let link = content.buttons.first { isOnCard && $0.verb == verb.rawValue }?.url
        return try LinkAnswer(
            APIClient.Answer(status: 200, body: try WireJSON.encode(body)), to: link ?? "https://go.example/l/another")
    }

    @Test(
        "Every link is asked about and answered in Danish, with the names on its card",
        arguments: [
            (.leaveAtDoor, .enRoute, "Bed om, at ordre G-1042 bliver stillet ved døren", "Mira er bedt om"),
            (.cancel, .placed, "Annuller leveringen af ordre G-1042", "Leveringen er annulleret"),
            (
                .approveSubstitution, .picking, "Tag Oat milk i stedet for Whole milk: 4,50 kr. mere?",
                "Oat milk kommer i stedet for"
            ),
            (.refuseSubstitution, .picking, "Vil du afvise Oat milk og få Whole milk refunderet?", "Whole milk bliver"),
            (.details, .enRoute, "Ordre G-1042 fra Nordhavn", "Ordre G-1042 fra Nordhavn"),
        ] as [(Verb, DeliverySnapshot.Status, String, String)])
    func danish(verb: Verb, status: DeliverySnapshot.Status, prompt: String, done: String) throws {
        let words = Words(locale: "da")
        let shown = try answer(verb, status: status, flags: status == .picking ? [.needsCustomer] : [])
        #expect(words.prompt(shown) == prompt)
        #expect(words.done(shown, on: shown).hasPrefix(done))
    }

    @Test("A substitute's number of pieces is in the question and in the answer")
    func pieces() throws {
        let words = Words(locale: "da")
        let shown = try answer(.approveSubstitution, status: .picking, flags: [.needsCustomer], pieces: "2")
        #expect(words.prompt(shown) == "Tag 2 × Oat milk i stedet for Whole milk: 4,50 kr. mere?")
        #expect(words.done(shown, on: shown).hasPrefix("2 × Oat milk kommer i stedet for"))
    }

    @Test("A question that is over does not name the goods of the next one")
    func overtaken() throws {
        let shown = try answer(
            .approveSubstitution, status: .picking, flags: [.needsCustomer], isPressable: false)
        #expect(Words(locale: "da").prompt(shown) == "Tag erstatningsvaren i stedet for varen?")
    }

    @Test("A link of another question than the card's has the service's own words, which name its goods")
    func anotherQuestion() throws {
        let words = Words(locale: "da")
        let shown = try answer(.approveSubstitution, status: .picking, flags: [.needsCustomer], isOnCard: false)
        #expect(words.prompt(shown) == "The service's own words")
        #expect(words.done(shown, on: shown) == "The service's own words")
    }

    @Test("A refusal is Danish, and keeps its exit code")
    func refused() throws {
        let words = Words(locale: "da")
        let failure = words.refused(
            try answer(.cancel, status: .enRoute), CommandFailure(.conflict, "The courier has the groceries"))
        #expect(failure.kind == .conflict && failure.message.contains("kan ikke annulleres"))
    }

    @Test("A link that shows a delivery has its status and its time, and a link that acts has neither")
    func status() throws {
        let words = Words(locale: "en")
        let now = SampleDelivery(status: .enRoute, flags: []).now
        let onTheWay = words.status(try answer(.details, status: .enRoute), now: now)
        #expect(onTheWay.first?.hasPrefix("Mira is on the way · ") == true)
        #expect(onTheWay.first?.contains("18:") == true)
        let over = words.status(try answer(.details, status: .delivered), now: now)
        #expect(over.first?.hasPrefix("At your door") == true)
        #expect(words.status(try answer(.cancel, status: .placed), now: now).isEmpty)
    }

    @Test("In English the service's own words are said")
    func english() throws {
        let words = Words(locale: "en")
        let shown = try answer(.leaveAtDoor, status: .enRoute)
        #expect(words.prompt(shown) == "The service's own words")
        #expect(words.done(shown, on: shown) == "The service's own words")
    }
}
