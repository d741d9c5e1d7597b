import LiveActivity
import PhoneRules
import Testing

@Suite("Cards that the app starts")
struct LocalStartTests {
    let noon = Pushes.noon

    private func shown(activity: String = "a-1", store: String = "Nordhavn") -> ShownActivity {
        let attributes = GroceryDeliveryAttributes(
            card: "c-\(activity)", activity: activity, delivery: nil, reference: nil, store: store, bag: nil,
            itemCount: 3, promise: nil, timeZone: "UTC")
        return ShownActivity(
            attributes: attributes, content: Pushes.update(noon).aps.contentState, startAt: noon, staleAt: noon + 600,
            relevance: 1, alert: nil)
    }

    @Test("A card of the app's needs no alert, costs no start, and gets an update token")
    func started() throws {
        var device = Device()
        let effects = try device.phone.startFromApp(shown(), at: noon)
        let card = try #require(device.phone.phone.lockScreen.first)
        #expect(device.notices(effects) == [.started(instance: card.id), .updateToken(instance: card.id)])
        #expect(device.phone.updateToken(of: card.id) != nil)
        #expect(device.phone.startBudget.left(at: noon) == device.phone.startBudget.size)
        #expect(card.alert == nil && device.phone.phone.alertedCard == nil)
        #expect(card.shownSince == noon)
        #expect(card.staleAt == noon + 600)
    }

    @Test("The first push for it is applied though it was rendered before the app started the card")
    func firstPush() throws {
        var device = Device()
        _ = try device.phone.startFromApp(shown(), at: noon)
        let effects = device.deliver(device.body("update", noon - 5))
        #expect(device.settled(effects).values.first == .applied)
        #expect(device.phone.phone.lockScreen.first?.timestamp == noon - 5)
    }

    @Test("What the system refuses has the name that ActivityKit gives it, and leaves no card")
    func refusals() throws {
        var off = Device()
        _ = off.phone.switchLiveActivities(on: false, at: noon)
        #expect(throws: LocalStartRefusal.denied) { try off.phone.startFromApp(shown(), at: noon) }

        var killed = Device()
        _ = killed.phone.killApp(at: noon)
        #expect(throws: LocalStartRefusal.visibility) { try killed.phone.startFromApp(shown(), at: noon) }

        var large = Device()
        let store = String(repeating: "x", count: 4_096)
        #expect(throws: LocalStartRefusal.attributesTooLarge) {
            try large.phone.startFromApp(shown(store: store), at: noon)
        }

        var full = Device()
        for number in 1...Phone.activitiesMaxInTheField {
            _ = try full.phone.startFromApp(shown(activity: "a-\(number)"), at: noon)
        }
        #expect(throws: LocalStartRefusal.targetMaximumExceeded) {
            try full.phone.startFromApp(shown(activity: "a-6"), at: noon)
        }
        #expect(full.phone.phone.liveCards.count == Phone.activitiesMaxInTheField)
        for phone in [off.phone, killed.phone, large.phone] { #expect(phone.phone.rememberedCards.isEmpty) }
    }

    @Test("The island is held open and made minimal, and comes back")
    func island() throws {
        var device = Device()
        _ = try device.phone.startFromApp(shown(), at: noon)
        let card = try #require(device.phone.phone.lockScreen.first)
        _ = device.phone.setOtherApp(.attached, at: noon)
        #expect(device.phone.phone.island == .minimal(card, .attached))
        _ = device.phone.holdIsland(open: true, at: noon)
        #expect(device.phone.phone.island == .expanded(card))
        _ = device.phone.holdIsland(open: false, at: noon)
        _ = device.phone.setOtherApp(nil, at: noon)
        #expect(device.phone.phone.island == .compact(card))
    }
}
