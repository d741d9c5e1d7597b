import DeliveryDiagnosis
import Testing

extension Advice {
    /// Its text, with an ellipsis for each action.
    var words: String { text { _ in "…" } }
}

@Suite("Advice")
struct AdviceTests {
    @Test("Each medium names the actions in its own way, and the words around them stay")
    func naming() {
        let advice: Advice = "call \("Mira"); or \(action: .assignCourier), then \(action: .resend)"
        #expect(advice.text { "<\($0)>" } == "call Mira; or <assignCourier>, then <resend>")
        #expect(advice.actions == [.assignCourier, .resend])
        #expect(
            advice.parts == [
                .text("call Mira; or "), .action(.assignCourier), .text(", then "), .action(.resend),
            ])
    }

    @Test("Advice that names no action is one text, however it was put together")
    func plain() {
        let name = "Mira"
        let advice: Advice = "call \(name)\("")"
        #expect(advice == Advice("call Mira"))
        #expect(advice.actions.isEmpty && advice.words == "call Mira")
    }

    @Test("A card that is one too many is ended, and no other reason of a card names an action")
    func reasons() {
        for reason in CardReason.allCases {
            #expect(reason.advice?.actions ?? [] == (reason == .tooManyCards ? [.endCard] : []), "\(reason)")
        }
    }
}
