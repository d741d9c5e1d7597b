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

    private static let notComing: [DeliverySnapshot] = [
        Sample.delivery(.attempted, flags: [.batched]), Sample.delivery(.returning, flags: [.batched]),
        Sample.delivery(.staged, flags: [.onHold, .batched]), Sample.delivery(.enRoute, flags: [.onHold, .batched]),
        Sample.delivery(.atDoor, flags: [.onHold]),
    ]

    @Test("What does not come has no promised window, no handoff and no stops before it", arguments: notComing)
    func unexpected(delivery: DeliverySnapshot) {
        #expect(Self.lines(delivery, "Århusgade 12, 3. tv", nil) == ["Address: Århusgade 12, 3. tv"])
        let step = ActivityStep.after(delivery, arrival: Sample.arrival(of: .enRoute), step: 0)
        #expect(step.content.courier?.stopsBefore == nil && step.content.arrival == nil)
        let words = Words(locale: "en")
        #expect(words.promise(step.content, step.attributes, now: Sample.sixPM) == nil)
        #expect(!step.content.spokenLabel(step.attributes, words: words, now: Sample.sixPM).contains("Promised"))
    }

    @Test("After a move of the promise a card has the new window and the expected one, not the first")
    func moved() {
        let words = Words(locale: "en")
        func texts(_ flags: Set<DeliverySnapshot.Flag>, _ status: DeliverySnapshot.Status = .enRoute) -> [String?] {
            let step = ActivityStep.after(
                Sample.delivery(status, flags: flags), arrival: Sample.arrival(of: status), step: 0)
            return [
                words.promise(step.content, step.attributes, now: Sample.sixPM),
                words.arrival(step.content, step.attributes, now: Sample.sixPM, isStale: false),
            ]
        }
        #expect(texts([]) == ["promised 18:15–18:45", "Arrives 18:24–18:31"])
        #expect(texts([.rescheduled]) == [nil, "Arrives 18:24–18:31"])
        #expect(texts([.rescheduled], .delivered) == ["promised 18:15–18:45", nil], "an end is measured against it")
    }

    @Test("After a move of the promise the details have the new window, and after the end the first one, as the card")
    func movedDetails() {
        let coming = Self.lines(Sample.delivery(.enRoute, flags: [.rescheduled]), nil, nil)
        #expect(coming.first?.hasSuffix("19:00–19:30") == true)
        for status in Sample.ends {
            let ended = Self.lines(Sample.delivery(status, flags: [.rescheduled]), nil, nil)
            #expect(ended.count == 1 && ended.first?.hasSuffix("18:15–18:45") == true, "\(status)")
        }
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
