import Testing

@testable import LiveActivity

@Suite("Proofs on a card and in its details")
struct ProofLinesTests {
    private static func delivery(
        _ status: DeliverySnapshot.Status, _ proofs: [DeliverySnapshot.Proof],
        flags: Set<DeliverySnapshot.Flag> = []
    ) -> DeliverySnapshot {
        var delivery = Sample.delivery(status, flags: flags)
        delivery.proofs = proofs
        delivery.pin = "0417"
        return delivery
    }

    private static func content(_ delivery: DeliverySnapshot) -> GroceryDeliveryAttributes.ContentState {
        ActivityStep.after(delivery, arrival: Sample.arrival(of: delivery.status), step: 0).content
    }

    @Test("The PIN is on the card only while the courier is near and has to ask for it", arguments: Sample.statuses)
    func near(status: DeliverySnapshot.Status) {
        let missing = Self.content(Self.delivery(status, [.init(kind: .pin, state: .missing)]))
        #expect(missing.pin == (status == .arriving || status == .atDoor ? "0417" : nil))
        #expect(Self.content(Self.delivery(status, [.init(kind: .pin, state: .met)])).pin == nil)
        #expect(Self.content(Self.delivery(status, [])).pin == nil)
        if !Sample.ends.contains(status) {
            let held = Self.delivery(status, [.init(kind: .pin, state: .missing)], flags: [.onHold])
            #expect(Self.content(held).pin == nil)
        }
    }

    @Test("A PIN is in no text, no code and no alert of a push, and in the label only where the screen is private")
    func texts() throws {
        let step = ActivityStep.after(
            Self.delivery(.atDoor, [.init(kind: .pin, state: .missing)]), arrival: nil, step: 0)
        let (content, words) = (step.content, Words(locale: "en"))
        #expect(words.pin(content) == "PIN 0417" && Words(locale: "da").pin(content) == "Pinkode 0417")
        let label = content.spokenLabel(step.attributes, words: words, now: Sample.sixPM)
        #expect(label.contains("PIN 0 4 1 7."))
        let locked = content.spokenLabel(step.attributes, words: words, now: Sample.sixPM, isPrivate: true)
        #expect(!locked.contains("PIN") && !locked.contains("0 4 1 7"))
        let others = [String(describing: step.alert), "\(content.headline)", String(describing: content.detail)]
        #expect(!others.joined().contains("0417"))
        #expect(step.withoutPIN.content.pin == nil && step.withoutPIN.content.headline == content.headline)
    }

    @Test("The PIN stays on the Lock Screen at every text size", arguments: TextSize.allCases)
    func layout(size: TextSize) {
        let step = ActivityStep.after(
            Self.delivery(.arriving, [.init(kind: .pin, state: .missing)]), arrival: Sample.arrival(of: .arriving),
            step: 0)
        let layout = CardLayout(
            step.content, step.attributes, words: Words(locale: "da"), now: Sample.sixPM, size: size)
        #expect(layout.shows(.pin) && layout.height <= CardLayout.heightMax)
    }

    @Test("The details name each proof that is missing while the goods are expected")
    func details() {
        let proofs = DeliverySnapshot.Proof.Kind.allCases.map { DeliverySnapshot.Proof(kind: $0, state: .missing) }
        func lines(_ delivery: DeliverySnapshot) -> [String] {
            delivery.handoffLines(address: nil, note: nil).map {
                Words(locale: "en").text($0, timeZone: "Europe/Copenhagen", now: Sample.sixPM)
            }
        }
        #expect(
            lines(Self.delivery(.picking, proofs)).dropFirst() == [
                "Will be handed to you", "The courier will ask for your PIN",
                "The courier will take a photo of the bag", "The courier will ask for your signature",
                "The courier will check your age", "The courier will scan the bag",
            ])
        #expect(lines(Self.delivery(.delivered, proofs)).count == 1)
        #expect(lines(Self.delivery(.picking, [.init(kind: .photo, state: .met)])).count == 2)
    }

    @Test("A refused age check is the reason on the card")
    func refused() {
        var delivery = Self.delivery(.returning, [.init(kind: .age, state: .refused)])
        delivery.reason = .notVerified
        #expect(Self.content(delivery).detail?.text.hasPrefix("The age check at the door was not passed") == true)
        delivery.proofs = []
        #expect(Self.content(delivery).detail?.text.hasPrefix("Age or identity could not be checked") == true)
    }
}
