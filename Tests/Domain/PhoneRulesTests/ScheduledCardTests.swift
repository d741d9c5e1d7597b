import LiveActivity
import PhoneRules
import Testing

@Suite("Cards that an app schedules")
struct ScheduledCardTests {
    let noon = Pushes.noon
    private let alert = PushAlert(title: .plain("It begins"), body: .plain("Follow it here"), sound: "default")

    private func shown(_ activity: String = "a-1", startAt: Int) -> ShownActivity {
        let attributes = GroceryDeliveryAttributes(
            card: "c-\(activity)", activity: activity, delivery: nil, reference: nil, store: "Nordhavn", bag: nil,
            itemCount: 3, promise: nil, timeZone: "UTC")
        return ShownActivity(
            attributes: attributes, content: Pushes.update(noon).aps.contentState, startAt: startAt,
            staleAt: startAt + 600, relevance: 1, alert: nil)
    }

    /// A phone with one card that is scheduled in ten minutes.
    private func device(change: (inout PushedPhone.Settings) -> Void = { _ in }) throws -> (Device, instance: String) {
        var device = Device(version: "26.0", change: change)
        _ = try device.phone.startFromApp(shown(startAt: noon + 600), scheduledWith: alert, at: noon)
        return (device, try #require(device.phone.activities.first?.instance))
    }

    @Test("It is on no screen before its time, and starts with its alert then, though the app does not run")
    func startsByItself() throws {
        var (device, instance) = try device()
        #expect(device.phone.activity(instance)?.state == .pending)
        #expect(device.phone.phone.lockScreen.isEmpty && device.phone.phone.island == .empty)
        #expect(device.phone.phone.alertedCard == nil)
        _ = device.phone.forceQuitApp(at: noon + 1)
        #expect(device.phone.nextChange(after: noon + 1) == noon + 600)
        let effects = device.phone.advance(to: noon + 600)
        guard case .screen(let event) = effects.first else {
            Issue.record("nothing started")
            return
        }
        #expect(event.kind == .start && event.at == noon + 600 && effects.count == 1)
        #expect(device.phone.phone.lockScreen.map(\.id) == [instance])
        #expect(device.phone.phone.alertedCard?.alert?.content == alert)
        #expect(device.phone.startBudget.left(at: noon + 600) == device.phone.startBudget.size)
    }

    @Test("The app sees it start while it runs, and one that it has ended never starts")
    func noticed() throws {
        var (device, instance) = try device()
        #expect(device.notices(device.phone.advance(to: noon + 600)) == [.started(instance: instance)])
        var (other, ended) = try self.device()
        _ = other.phone.endFromApp(instance: ended, at: noon + 60)
        #expect(other.phone.activity(ended)?.state == .dismissed)
        #expect(other.phone.advance(to: noon + 600).isEmpty && other.phone.phone.lockScreen.isEmpty)
    }

    @Test("Its token comes before it starts or then, as the phone is set", arguments: [true, false])
    func token(hasToken: Bool) throws {
        var (device, instance) = try device { $0.pendingHasToken = hasToken }
        #expect((device.phone.updateToken(of: instance) != nil) == hasToken)
        let notices = device.notices(device.phone.advance(to: noon + 600))
        #expect(notices.contains(.updateToken(instance: instance)) == !hasToken)
        #expect(device.phone.updateToken(of: instance) != nil)
    }

    @Test("It takes pushes before it starts or drops them, as the phone is set", arguments: [true, false])
    func pushes(takesPushes: Bool) throws {
        var (device, instance) = try device { $0.pendingTakesPushes = takesPushes }
        let token = device.phone.updateToken(of: instance)
        let outcome = device.push("end", noon + 1, token: token) { $0["dismissal-date"] = 0 }
        #expect(outcome == (takesPushes ? .applied : .notStarted))
        _ = device.phone.advance(to: noon + 600)
        #expect(device.phone.phone.lockScreen.isEmpty == takesPushes)
        device.time = noon + 601
        #expect(device.push("end", noon + 601, token: token) == (takesPushes ? .alreadyEnded : .applied))
    }

    @Test("It counts towards the limit of cards, and the app's update does nothing to it")
    func limit() throws {
        var (device, instance) = try device()
        for number in 2...Phone.activitiesMaxInTheField {
            _ = try device.phone.startFromApp(shown("a-\(number)", startAt: noon), at: noon)
        }
        #expect(throws: LocalStartRefusal.targetMaximumExceeded) {
            try device.phone.startFromApp(shown("a-9", startAt: noon), at: noon)
        }
        #expect(device.phone.updateFromApp(shown(startAt: noon), instance: instance, timestamp: noon, at: noon).isEmpty)
    }

    @Test("The person leaves the app, which runs on for a while and cannot start anything")
    func left() throws {
        var device = Device(version: "26.0")
        #expect(device.notices(device.phone.leaveApp(at: noon)) == [.leftForeground])
        #expect(device.phone.isAppRunning(at: noon + 29) && !device.phone.isAppRunning(at: noon + 30))
        #expect(throws: LocalStartRefusal.visibility) {
            try device.phone.startFromApp(shown(startAt: noon + 600), scheduledWith: alert, at: noon + 1)
        }
        #expect(device.phone.leaveApp(at: noon + 2).isEmpty)
    }
}
