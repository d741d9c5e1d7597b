import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("Results of pushes")
struct PushResultTests {
    let activity = Activity(.shows(2, phase: .packed, alert: "left"))

    private func result(_ status: Int, _ reason: String, retryAfter: TimeInterval? = nil) -> PushResult {
        PushResult(status: status, reason: reason, retryAfter: retryAfter, since: noon, token: "ab")
    }

    @Test(
        "Each answer of APNs is acted on as its table says",
        arguments: [
            (400, "BadCollapseId", "refused"), (400, "BadDeviceToken", "gone"), (400, "BadExpirationDate", "refused"),
            (400, "BadMessageId", "refused"), (400, "BadPriority", "refused"), (400, "InvalidPushType", "refused"),
            (400, "DuplicateHeaders", "refused"), (400, "BadTopic", "halted"), (400, "MissingTopic", "halted"),
            (400, "TopicDisallowed", "halted"), (400, "DeviceTokenNotForTopic", "gone"),
            (400, "IdleTimeout", "refused"), (400, "MissingDeviceToken", "refused"), (400, "PayloadEmpty", "refused"),
            (403, "BadCertificate", "halted"), (403, "BadCertificateEnvironment", "halted"),
            (403, "ExpiredProviderToken", "halted"), (403, "InvalidProviderToken", "halted"),
            (403, "MissingProviderToken", "halted"), (403, "Forbidden", "halted"),
            (403, "UnrelatedKeyIdInToken", "refused"), (403, "BadEnvironmentKeyIdInToken", "halted"),
            (404, "BadPath", "refused"), (405, "MethodNotAllowed", "refused"), (410, "Unregistered", "gone"),
            (410, "ExpiredToken", "gone"), (413, "PayloadTooLarge", "refused"), (429, "TooManyRequests", "refused"),
            (429, "TooManyProviderTokenUpdates", "halted"), (500, "InternalServerError", "refused"),
            (503, "ServiceUnavailable", "refused"), (503, "Shutdown", "refused"), (200, "", "taken"),
            (401, "", "halted"), (302, "", "refused"), (403, "Tomorrow's", "halted"), (410, "Tomorrow's", "gone"),
            (507, "Tomorrow's", "refused"),
        ])
    func table(status: Int, reason: String, code: String) {
        #expect(result(status, reason).code == code)
    }

    @Test("A circuit that a former clock opened for longer than any wait is not open")
    func circuitOfFormerClock() {
        var circuits = PushCircuits()
        let key = PushCircuits.Key(bundleID: nil, environment: .production)
        _ = circuits.halt(key, reason: "Forbidden", at: noon)
        #expect(circuits.openUntil(key, at: noon + 10) == noon + 30)
        #expect(circuits.openUntil(key, at: noon - 3600) == nil)
    }

    @Test("Our own mistakes are tried again late; what waits is tried soon, and not before it was said")
    func delays() {
        func wait(_ result: PushResult, _ failures: Int = 1, rate: Double = 1) -> TimeInterval {
            RetryTiming(clockRate: rate).next(after: result, failures: failures, now: noon).timeIntervalSince(noon)
        }
        #expect(wait(result(413, "PayloadTooLarge")) == 900)
        #expect(wait(result(400, "Tomorrow's")) == 900)
        #expect(wait(result(500, "InternalServerError")) == 1)
        #expect(wait(result(500, "InternalServerError"), 30) == 900)
        #expect(wait(result(429, "TooManyRequests")) == 10)
        #expect(wait(result(503, "Shutdown", retryAfter: 77)) == 77)
        #expect(wait(.gone(token: "ab")) == 60 && wait(.gone(token: "ab"), 30) == 3600)
        #expect(wait(.notSent("no connection")) == 1 && wait(.notSent("no connection"), 30) == 60)
        // Wall time, whatever the clock's rate.
        #expect(wait(result(429, "TooManyRequests"), rate: 60) == 600)
        #expect(RetryTiming(jitter: 1).next(after: .notSent(""), failures: 1, now: noon) == noon + 0.8)
    }

    @Test(
        "What certainly changed nothing gives back the alert and the budget",
        arguments: [
            PushResult.notSent("no connection"), .refused(reason: "InternalServerError"), .halted(reason: "Forbidden"),
        ])
    func refunded(result: PushResult) throws {
        var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
        let due = decide(activity, card, on: .any(), others: [], limits: .stream, now: noon)
        let lease = card.lease(due, activity.wanted, limits: .apns, now: noon)
        let push = try #require(lease)
        #expect(card.alertedIDs == ["left"] && card.urgentPushes.available(Limits.apns.urgentPushes, at: noon) == 14)
        _ = card.record(push, result, now: noon)
        #expect(card.alertedIDs.isEmpty && card.urgentPushes.available(Limits.apns.urgentPushes, at: noon) == 15)
        #expect(card.state == .active && card.inFlight == nil)
        let isHalted = result == .halted(reason: "Forbidden")
        #expect((card.failures.retryAt == nil) == isHalted && card.failures.count == (isHalted ? 0 : 1))
    }

    @Test("What may have been shown keeps its alert, and a start stays unconfirmed")
    func unknown() throws {
        var card = Card.any(of: activity, on: .any())
        let lease = card.lease(.start(alert: activity.wanted.alert), activity.wanted, limits: .apns, now: noon)
        let push = try #require(lease)
        card.inFlight?.isHandedOver = true
        _ = card.record(push, .unknown("reset"), now: noon)
        #expect(card.alertedIDs == ["left"] && card.state == .starting)
        let decision = decide(activity, card, on: .any(), others: [], limits: .apns, now: noon + 60)
        #expect(decision == .wait(until: noon + 8 * 3600 + 600, .unconfirmed))
    }

    @Test("A start that was leased and never left waits again at once, with its alert and its budget")
    func neverLeft() throws {
        let device = Device.any()
        let card = Card.any(of: activity, on: device)
        func run(_ card: Card, _ device: Device, at now: Date) -> DeviceReconciliation {
            var run = DeviceReconciliation(
                device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .apns, now: now)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            return run
        }
        let died = run(card, device, at: noon)
        #expect(died.pushes.map(\.event) == [.start] && died.device.starts.tokens == 7)
        // Its lease has expired.
        let again = run(died.cards[0].card, died.device, at: noon + 30)
        #expect(again.pushes.map(\.event) == [.start] && again.pushes.map(\.alert?.id) == ["left"])
        #expect(again.device.starts.tokens == 7)
        var handedOver = died.cards[0].card
        handedOver.inFlight?.isHandedOver = true
        #expect(run(handedOver, died.device, at: noon + 30).pushes.isEmpty)
    }

    @Test("Starts that an outage refuses cost none of the budget, and wait for the device")
    func outage() throws {
        var device = Device.any()
        var card = Card.any(of: activity, on: device)
        var now = noon
        for failure in 1...20 {
            var run = DeviceReconciliation(
                device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .apns, now: now)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            let push = try #require(run.pushes.first)
            (device, card) = (run.device, run.cards[0].card)
            let result = PushResult.refused(reason: "ServiceUnavailable")
            _ = card.record(push, result, now: now)
            device.recordStart(result, now: now)
            #expect(card.state == .waiting && device.startFailures.count == failure)
            let retryAt = try #require(device.startFailures.retryAt)
            #expect(
                decide(activity, card, on: device, others: [], limits: .apns, now: now)
                    == .wait(until: retryAt, .retrying))
            now = retryAt
        }
        #expect(device.starts.available(Limits.apns.starts, at: now) == 8)
    }

    @Test("A start that is gone never resets a card that its app has confirmed")
    func goneAfterConfirmation() throws {
        var card = Card.any(of: activity, on: .any())
        let lease = card.lease(.start(alert: nil), activity.wanted, limits: .apns, now: noon)
        let push = try #require(lease)
        card.apply(.started(updateToken: "cd"), at: noon)
        _ = card.record(push, .gone(token: "ab", since: noon), now: noon)
        #expect(card.state == .active)
    }

    @Test("A token that is gone is dropped alone: not its successor, and not where it was uploaded since")
    func goneTokens() throws {
        for (uploaded, since, isLost) in [("aa", noon, true), ("bb", noon, false), ("aa", noon - 60, false)] {
            var card = Card.any(of: activity, on: .any(), .active, sent: .shows(1), startedAt: noon)
            card.updateToken = PushToken(value: uploaded, observedAt: noon, registeredAt: noon)
            let lease = card.lease(.update(.high, alert: nil), activity.wanted, limits: .apns, now: noon)
            _ = card.record(try #require(lease), .gone(token: "aa", since: since), now: noon)
            #expect((card.state == .lost) == isLost)
            var device = Device.any()
            device.pushToStartToken = card.updateToken
            device.recordStart(.gone(token: "aa", since: since), now: noon)
            #expect((device.pushToStartToken == nil) == isLost)
        }
    }

    @Test("What nothing can be sent to waits, and costs nothing", arguments: [Decision.Reason.halted, .appRefused])
    func halted(reason: Decision.Reason) {
        let device = Device.any()
        var run = DeviceReconciliation(
            device: device, cards: [ActivityCard(activity: activity, card: .any(of: activity, on: device))],
            limits: .apns, now: noon,
            gate: LeaseGate(fullUntil: noon + 1, halts: [.production: .init(until: noon + 30, reason: reason)]))
        run.run(leased: [], newID: { UUID() }) { _ in nil }
        #expect(run.pushes.isEmpty && run.device == device && run.dueAt == noon + 30)
        #expect(Array(run.reasons.values) == [reason] && reason.isBehind)
    }

    @Test("Each card waits for the environment of the token that its push would go to, an end too")
    func haltedEnvironment() {
        let device = Device.any()
        let ending = Activity(.ends(2, activity: "a2", at: noon), id: "a2")
        var card = Card.any(of: ending, on: device, .active, sent: .shows(1, activity: "a2"), startedAt: noon)
        card.updateToken = PushToken(value: "cd", environment: .sandbox, observedAt: noon, registeredAt: noon)
        for hasStartToken in [true, false] {
            var known = device
            if !hasStartToken { known.pushToStartToken = nil }
            var run = DeviceReconciliation(
                device: known,
                cards: [
                    ActivityCard(activity: ending, card: card),
                    ActivityCard(activity: activity, card: .any(of: activity, on: known)),
                ], limits: .apns, now: noon,
                gate: LeaseGate(halts: [.sandbox: .init(until: noon + 30, reason: .halted)]))
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            #expect(run.pushes.map(\.event) == (hasStartToken ? [.start] : []))
            #expect(run.reasons[card.id] == .halted && Decision.Reason.halted.isBehind)
            #expect(run.cards.first?.card == card && run.dueAt == noon + 30)
        }
    }

    @Test("A card whose replacement cannot be started now does not make room for it")
    func haltedReplacement() {
        let device = Device.any()
        var limits = Limits.apns
        limits.cardsPerDeviceMax = 1
        var old = Card.any(of: activity, on: device, .active, sent: activity.wanted, startedAt: noon - 7.6 * 3600)
        old.alertedIDs = ["left"]
        old.updateToken = PushToken(value: "cd", environment: .sandbox, observedAt: noon, registeredAt: noon)
        var new = Card.any(of: activity, on: device)
        new.replaces = old.id
        let halted = LeaseGate(halts: [.production: .init(until: noon + 30, reason: .halted)])
        for (gate, events) in [(LeaseGate(), [Push.Event.end]), (halted, [])] {
            var run = DeviceReconciliation(
                device: device, cards: [old, new].map { ActivityCard(activity: activity, card: $0) }, limits: limits,
                now: noon, gate: gate)
            run.run(leased: [], newID: { UUID() }) { _ in nil }
            #expect(run.pushes.map(\.event) == events)
        }
    }

    @Test("What a full queue has no room for waits, costs nothing, and is not behind")
    func queueFull() {
        let device = Device.any()
        let waiting = Card.any(of: activity, on: device)
        var run = DeviceReconciliation(
            device: device, cards: [ActivityCard(activity: activity, card: waiting)], limits: .apns, now: noon,
            gate: LeaseGate(fullUntil: noon + 1))
        run.run(leased: [], newID: { UUID() }) { _ in nil }
        #expect(run.pushes.isEmpty && run.device == device && run.dueAt == noon + 1)
        #expect(run.reasons[waiting.id] == .queueFull && !Decision.Reason.queueFull.isBehind)
    }

    @Test("A refused key opens the circuit of its app alone, for longer each time, until a push is taken")
    func circuits() throws {
        var circuits = PushCircuits()
        let key = PushCircuits.Key(bundleID: try BundleID("shop.nordhavn.app"), environment: .production)
        let other = PushCircuits.Key(bundleID: try BundleID("shop.nordhavn.app"), environment: .sandbox)
        let first = circuits.halt(key, reason: "Forbidden", at: noon)
        let second = circuits.halt(key, reason: "Forbidden", at: noon + 1)
        #expect(first && !second)
        #expect(circuits.openUntil(key, at: noon + 29) == noon + 30 && circuits.openUntil(other, at: noon) == nil)
        #expect(circuits.openUntil(key, at: noon + 30) == nil)
        var replica = PushCircuits()
        _ = replica.halt(key, reason: "Forbidden", at: noon, jitter: 1)
        #expect(replica.openUntil(key, at: noon) == noon + 24)
        _ = circuits.halt(key, reason: "Forbidden", at: noon + 30)
        #expect(circuits.openUntil(key, at: noon + 31) == noon + 90)
        let wasOpen = circuits.close(key)
        #expect(wasOpen && circuits.count == 0 && circuits.otherCount == 0)
    }

    @Test("Refused apps that devices name are counted apart and bounded, until Apple has accepted a push for them")
    func otherApps() throws {
        func key(_ name: String) throws -> PushCircuits.Key {
            PushCircuits.Key(bundleID: try BundleID(name), environment: .production)
        }
        var circuits = PushCircuits(app: try BundleID("shop.nordhavn.app"))
        let others = try (0..<1_000).map { try key("made-up.\($0)") }
        for (number, other) in others.enumerated() {
            _ = circuits.halt(other, reason: "TopicDisallowed", at: noon + Double(number))
        }
        #expect(circuits.count == 0 && circuits.otherCount == PushCircuits.otherAppsMax)
        // Those whose next attempt is the latest stay.
        #expect(others.map { circuits.refusal($0) != nil } == (0..<1_000).map { $0 >= 900 })

        let beta = try key("shop.nordhavn.beta")
        _ = circuits.close(beta)
        let own = [PushCircuits.Key(bundleID: nil, environment: .production), try key("shop.nordhavn.app"), beta]
        for (number, key) in own.enumerated() {
            _ = circuits.halt(key, reason: "InvalidProviderToken", at: noon)
            #expect(circuits.count == number + 1 && circuits.otherCount == PushCircuits.otherAppsMax)
        }
        _ = circuits.halt(others[0], reason: "TopicDisallowed", at: noon + 1_000)
        #expect(circuits.count == own.count && circuits.otherCount == PushCircuits.otherAppsMax)
    }
}
