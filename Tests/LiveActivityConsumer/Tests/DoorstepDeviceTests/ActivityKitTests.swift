import ActivityKit
import Foundation
import LiveActivity
import Testing

@testable import DoorstepDevice

/// Gives each test a phone of its own.
private struct OwnPhone: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ActivityKitStandIn.$system.withValue(ActivityKitStandIn.Phone()) { try await function() }
    }
}

@Suite("ActivityKit's side", OwnPhone(), .timeLimit(.minutes(1)))
struct ActivityKitTests {
    private static let content = WantedBody.Activity.sample("a-1").content
    private let phone = ActivityKitActivities()

    /// Until so many sequences are read: what they say before is not heard.
    private static func isRead(by observers: Int) async {
        while ActivityKitStandIn.observers < observers { await Task.yield() }
    }

    @Test("A local start is updated by pushes, is seen, and is ended at once")
    func start() async throws {
        let instance = try await phone.start(.sample("a-1", card: "c-1"))
        let seen = try #require(phone.present().first)
        #expect(seen.instance == instance && seen.attributes.activity == "a-1" && seen.state == .active)
        #expect(seen.revision == Revision(version: 3, step: 0))
        await phone.end(instance)
        #expect(ActivityKitStandIn.dismissal(of: instance) == .immediate && phone.present().isEmpty)
        await phone.end("gone")
    }

    @Test("A card is scheduled with the key and the values that a push would name, and is pending until then")
    func schedule() async throws {
        let alert = PushAlert(
            title: .localized(key: "Your groceries from %@", arguments: ["Nordhavn"]), body: .plain("100 %"),
            sound: nil)
        let phone = ActivityKitActivities(silentSound: "silence.wav")
        let scheduled = try await phone.schedule(.sample("a-1", card: "c-1", startAt: sixPM + 600), alert: alert)
        let instance = try #require(scheduled)
        #expect(phone.present().map(\.state) == [.pending])
        let known = try #require(ActivityKitStandIn.schedule(of: instance))
        #expect(known.key == "Your groceries from %@" && known.arguments == ["Nordhavn"])
        #expect(known.sound == .named("silence.wav"))
        #expect(known.start.timeIntervalSince1970 == TimeInterval(sixPM + 600))
        ActivityKitStandIn.setForeground(false)
        await #expect(throws: PhoneStartFailure(code: "visibility")) {
            try await phone.schedule(.sample("b-1"), alert: alert)
        }
    }

    @Test("A scheduled card sounds as a start by push does; a silent one is left to a push without a silent sound")
    func sounds() async throws {
        func alert(_ sound: String?) -> PushAlert {
            PushAlert(title: .plain("Later"), body: .plain("Follow it here"), sound: sound)
        }
        let silent = try await phone.schedule(.sample("a-1", startAt: sixPM + 600), alert: alert(nil))
        #expect(silent == nil && phone.present().isEmpty)
        let sounds: [(String, AlertConfiguration.AlertSound)] = [
            ("default", .default), ("bell.caf", .named("bell.caf")),
        ]
        for (name, sound) in sounds {
            let scheduled = try await phone.schedule(.sample("a-1", startAt: sixPM + 600), alert: alert(name))
            let instance = try #require(scheduled)
            #expect(ActivityKitStandIn.schedule(of: instance)?.sound == sound)
        }
    }

    @Test("What the app remembers of its owner's permission is told with the switches")
    func account() {
        let phone = ActivityKitActivities(account: { .notAsked })
        #expect(phone.permission() == PhonePermission(activities: true, frequentPushes: true, account: .notAsked))
    }

    @Test("The app's own update is shown, unless a push of a later timestamp was before it")
    func update() async throws {
        let instance = try await phone.start(.sample("a-1"))
        await phone.update(instance, to: .sample("a-1", version: 4), timestamp: sixPM)
        #expect(phone.present().first?.revision == Revision(version: 4, step: 0))
        var pushed = Self.content
        pushed.revision = Revision(version: 6, step: 0)
        try ActivityKitStandIn.push(
            state: pushed, to: instance, timestamp: Date(timeIntervalSince1970: TimeInterval(sixPM + 1)))
        await phone.update(instance, to: .sample("a-1", version: 5), timestamp: sixPM)
        #expect(phone.present().first?.revision == pushed.revision)
        await phone.update("gone", to: .sample("a-1"), timestamp: sixPM)
    }

    @Test("A start that the system refuses has the code of its error")
    func refusedStart() async {
        ActivityKitStandIn.setForeground(false)
        await #expect(throws: PhoneStartFailure(code: "visibility")) { try await phone.start(.sample("a-1")) }
        ActivityKitStandIn.setPermission(activities: false, frequentPushes: true)
        await #expect(throws: PhoneStartFailure(code: "denied")) { try await phone.start(.sample("a-1")) }
        #expect(phone.permission() == PhonePermission(activities: false, frequentPushes: true))
    }

    @Test("What was there comes first, then what a push starts")
    func activities() async throws {
        let first = try ActivityKitStandIn.push(
            start: GroceryDeliveryAttributes.sample(activity: "a-1"), state: Self.content)
        var activities = phone.activities().makeAsyncIterator()
        #expect(await activities.next()?.instance == first)
        await Self.isRead(by: 1)
        let second = try ActivityKitStandIn.push(
            start: GroceryDeliveryAttributes.sample(activity: "b-1"), state: Self.content)
        #expect(await activities.next()?.instance == second)
    }

    @Test("The start token is told where it is there already, and when it changes")
    func startTokens() async {
        ActivityKitStandIn.setStartToken(Data([1]), for: GroceryDeliveryAttributes.self)
        var tokens = phone.startTokens().makeAsyncIterator()
        #expect(await tokens.next() == Data([1]))
        await Self.isRead(by: 1)
        ActivityKitStandIn.setStartToken(Data([2]), for: GroceryDeliveryAttributes.self)
        #expect(await tokens.next() == Data([2]))
    }

    @Test("Switches are told with both values")
    func permissions() async {
        var permissions = phone.permissions().makeAsyncIterator()
        async let next = permissions.next()
        await Self.isRead(by: 2)
        ActivityKitStandIn.setPermission(activities: true, frequentPushes: false)
        #expect(await next == PhonePermission(activities: true, frequentPushes: false))
    }

    @Test("An activity's token, content and states are told until it is dismissed")
    func changes() async throws {
        let instance = try ActivityKitStandIn.push(
            start: GroceryDeliveryAttributes.sample(), state: Self.content)
        ActivityKitStandIn.setToken(Data([1]), of: instance)
        var changes = phone.changes(of: instance).makeAsyncIterator()
        #expect(await changes.next() == .updateToken(Data([1])))
        await Self.isRead(by: 3)
        ActivityKitStandIn.setToken(Data([2]), of: instance)
        #expect(await changes.next() == .updateToken(Data([2])))
        var newer = Self.content
        newer.revision = Revision(version: 4, step: 1)
        try ActivityKitStandIn.push(state: newer, to: instance)
        #expect(await changes.next() == .shown(newer.revision))
        ActivityKitStandIn.setState(.stale, of: instance)
        #expect(await changes.next() == .state(.stale))
        ActivityKitStandIn.setState(.dismissed, of: instance)
        #expect(await changes.next() == .state(.dismissed))
        #expect(await changes.next() == nil)
    }

    @Test("A device on ActivityKit: a push starts a card, and its token reaches the server")
    func device() async throws {
        let server = FakeServer()
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: phone,
            identities: TestDevice.Identities(DeviceIdentity(id: "phone")), http: server,
            token: { "customer-token" }, onProblem: { _ in }, time: DeviceTime())
        let running = Task { await device.run() }
        defer { running.cancel() }
        _ = try await server.next(.put, "/v1/devices/phone")
        _ = try await server.nextReports()
        await Self.isRead(by: 4)
        let instance = try ActivityKitStandIn.push(
            start: GroceryDeliveryAttributes.sample(), state: Self.content)
        let started = try #require(try await server.nextReports().first)
        #expect(started["instance"] as? String == instance && started["updateToken"] == nil)
        await Self.isRead(by: 7)
        ActivityKitStandIn.setToken(Data([0xAB]), of: instance)
        let confirmed = try #require(try await server.nextReports().first)
        #expect((confirmed["updateToken"] as? [String: Any])?["value"] as? String == "ab")
        ActivityKitStandIn.setState(.dismissed, of: instance)
        #expect(try await server.nextReports().first?["kind"] as? String == "dismissed")
    }
}
