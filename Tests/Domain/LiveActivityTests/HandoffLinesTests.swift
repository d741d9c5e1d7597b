import Testing

@testable import LiveActivity

@Suite("Handoff on a card and in its details")
struct HandoffLinesTests {
    private static func lines(_ delivery: DeliverySnapshot, _ address: String?, _ note: String?) -> [String] {
        delivery.handoffLines(address: address, note: note).map {
            Words(locale: "en").text($0, timeZone: "Europe/Copenhagen", now: Sample.sixPM)
        }
    }

    @Test("The details have the promised window, the handoff, the address and the note")
    func lines() {
        var delivery = Sample.delivery(.picking)
        let own = Self.lines(delivery, "Århusgade 12, 3. tv", "Mind the dog")
        #expect(own.count == 4)
        #expect(own[0].hasPrefix("Promised: ") && own[0].contains("–"))
        #expect(
            own.dropFirst() == [
                "Will be handed to you", "Address: Århusgade 12, 3. tv", "Note to the courier: Mind the dog",
            ])
        delivery.isLeftAtDoor = true
        #expect(Self.lines(delivery, nil, nil).dropFirst() == ["Will be left at your door"])
        #expect(Self.lines(Sample.delivery(.delivered), nil, nil).count == 1, "what is over is on the card")
    }

    @Test(
        "A card says before pickup already that the goods will be left at the door",
        arguments: [DeliverySnapshot.Status.placed, .accepted, .picking, .staged])
    func card(status: DeliverySnapshot.Status) {
        var delivery = Sample.delivery(status)
        delivery.substitutedCount = 0
        delivery.isLeftAtDoor = true
        #expect(ContentTests.content(delivery).detail?.code.contains("left_at_door") == true)
    }

    @Test("Its button takes that back while the link for it is legal")
    func button() {
        var delivery = Sample.delivery(.picking)
        delivery.isLeftAtDoor = true
        delivery.links.append(.init(verb: .handToMe, url: "https://doorstep.example/l/hand"))
        let buttons = ContentTests.content(delivery).buttons
        #expect(buttons.first?.verb == "hand-to-me" && buttons.first?.title == "Hand it to me")
        #expect(!buttons.contains { $0.verb == "leave-at-door" } && buttons.count <= DeliverySnapshot.buttonsMax)
    }

    @Test("On the way back the courier can be called before the details are read, as everywhere")
    func returning() {
        let buttons = ContentTests.content(Sample.delivery(.returning)).buttons
        #expect(buttons.map(\.verb) == ["contact-courier", "details"])
    }
}
