import LiveActivity
import PhoneRules
import Testing

@Suite("What an app does with cards")
struct FromAppTests {
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
        _ = device.phone.updateOtherApp(.app, at: noon - 1)
        #expect(device.phone.phone.island == .minimal(card, .attached))
        _ = device.phone.updateOtherApp(.call, at: noon)
        #expect(device.phone.phone.island == .minimal(card, .detached))
        _ = device.phone.endOtherApps(.call, at: noon)
        _ = device.phone.holdIsland(open: true, at: noon)
        #expect(device.phone.phone.island == .expanded(card))
        _ = device.phone.holdIsland(open: false, at: noon)
        _ = device.phone.endOtherApps(at: noon)
        #expect(device.phone.phone.island == .compact(card))
    }

    // MARK: - The app's own updates

    private func content(step: Int, buttons: [CardButton] = []) -> ShownActivity {
        var content = Pushes.update(noon, step: step).aps.contentState
        content.buttons = buttons
        let first = shown()
        return ShownActivity(
            attributes: first.attributes, content: content, startAt: noon, staleAt: noon + 900, relevance: 2,
            alert: nil)
    }

    @Test("The app's own update is shown, costs no budget, and wakes a stale card")
    func updated() throws {
        var device = Device()
        _ = try device.phone.startFromApp(shown(), at: noon)
        let instance = try #require(device.phone.activities.first?.instance)
        _ = device.phone.advance(to: noon + 601)
        #expect(device.phone.activities.first?.state == .stale)
        let left = device.phone.budget.left(at: noon + 601)
        let effects = device.phone.updateFromApp(
            content(step: 3), instance: instance, timestamp: noon + 600, at: noon + 601)
        #expect(device.notices(effects) == [.content(instance: instance)])
        let card = try #require(device.phone.phone.lockScreen.first)
        #expect(card.state == .active && card.content.revision.step == 3 && card.timestamp == noon + 600)
        #expect(card.staleAt == noon + 900 && device.phone.budget.left(at: noon + 601) == left)
    }

    @Test("A push that was rendered later wins over the app's update, whichever comes first")
    func ordered() throws {
        for isPushFirst in [false, true] {
            var device = Device()
            _ = try device.phone.startFromApp(shown(), at: noon)
            let instance = try #require(device.phone.activities.first?.instance)
            if isPushFirst { _ = device.deliver(device.body("update", noon + 2, step: 5)) }
            _ = device.phone.updateFromApp(content(step: 4), instance: instance, timestamp: noon + 1, at: noon + 3)
            if !isPushFirst { _ = device.deliver(device.body("update", noon + 2, step: 5)) }
            #expect(device.phone.activities.first?.content.revision.step == 5)
        }
    }

    @Test("A push that was rendered before the app's update changes nothing any more")
    func olderPush() throws {
        var device = Device()
        _ = try device.phone.startFromApp(shown(), at: noon)
        let instance = try #require(device.phone.activities.first?.instance)
        _ = device.phone.updateFromApp(content(step: 4), instance: instance, timestamp: noon + 10, at: noon + 11)
        #expect(device.settled(device.deliver(device.body("update", noon + 9, step: 3))).values.first != .applied)
        #expect(device.phone.activities.first?.content.revision.step == 4)
    }

    @Test("An app that does not run updates nothing, nor does one whose card is over")
    func notUpdated() throws {
        var device = Device()
        _ = try device.phone.startFromApp(shown(), at: noon)
        let instance = try #require(device.phone.activities.first?.instance)
        _ = device.phone.killApp(at: noon)
        #expect(
            device.phone.updateFromApp(content(step: 4), instance: instance, timestamp: noon + 1, at: noon + 1).isEmpty)
        _ = device.phone.launchApp(at: noon + 2)
        _ = device.phone.swipe(instance: instance, at: noon + 2)
        #expect(
            device.phone.updateFromApp(content(step: 4), instance: instance, timestamp: noon + 3, at: noon + 3).isEmpty)
    }

    // MARK: - Buttons

    private func tapped(_ verb: String, version: String) throws -> (device: Device, notices: [AppNotice]) {
        var device = Device(version: version)
        let buttons = ["leave-at-door", "details"].map { CardButton(verb: $0, title: "", url: "https://x/l/\($0)") }
        _ = try device.phone.startFromApp(content(step: 1, buttons: buttons), at: noon)
        let instance = try #require(device.phone.activities.first?.instance)
        _ = device.phone.killApp(at: noon)
        let notices = device.notices(device.phone.tapButton(verb, instance: instance, at: noon + 1))
        return (device, notices)
    }

    @Test("From iOS 17 a button that acts has the app press its link in the background; any other opens the app")
    func tap() throws {
        let acted = try tapped("leave-at-door", version: "17.0")
        let instance = try #require(acted.device.phone.activities.first?.instance)
        #expect(acted.notices == [.launched, .pressed(instance: instance, link: "https://x/l/leave-at-door")])
        #expect(acted.device.phone.app == .inBackground(until: noon + 1 + PushedPhone.backgroundSeconds))
        for (verb, version) in [("details", "17.0"), ("leave-at-door", "16.4")] {
            let opened = try tapped(verb, version: version)
            #expect(opened.notices == [.launched] && opened.device.phone.app == .running)
        }
        let absent = try tapped("cancel", version: "18.0")
        #expect(absent.notices.isEmpty && absent.device.phone.app == .notRunning)
    }
}
