import BackgroundWork
import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import OrderDomain
import PostgresClient
import ServiceLifecycle
import TestSupport
import Testing
import WebPushClient

@testable import ActivityDispatch

@Suite("Alerts to browsers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct AlertSenderTests {
    private let delivery = DeliveryID(UUID())

    private struct Scene {
        let service: DispatchUnderTest
        let delivery: DeliveryID
        let push = PushServicesByTest()
        let raised = RaisedAlerts()
        static let hosts = WebPushHosts(["*.example.com"])

        var subscribe: SubscribeToAlerts {
            SubscribeToAlerts(
                pool: service.pool, clock: service.clock.domain, hosts: Self.hosts,
                wakeSender: { raised.signal.wake() })
        }

        func ask(
            _ endpoint: String = "https://push.example.com/abc", isWanted: Bool = true, proof: String? = nil
        ) async throws -> AlertSubscriptionAnswer.Refusal.Reason? {
            let keys = AlertSubscriptionRequest.Keys(
                p256dh: WebPushSubscription.keys.p256dh, auth: WebPushSubscription.keys.auth)
            return try await subscribe(
                AlertSubscriptionRequest(
                    delivery: delivery, endpoint: endpoint, keys: isWanted ? keys : nil, locale: "en", proof: proof)
            ).refusal?.reason
        }

        /// Has an alert be wanted, as a consumed intent does.
        func raise(_ version: Int, _ alert: String?) async throws {
            var applyIntent = service.applyIntent
            applyIntent.raisedAlerts = raised
            let intent = DispatchUnderTest.intent({ .shows(version, activity: $0, alert: alert) }, of: delivery)
            try await applyIntent([(intent, nil)])
        }

        @discardableResult
        func send() async throws -> Int { try await sender().sendDue() }

        func sender(
            to hosts: WebPushHosts = Self.hosts, _ configuration: AlertSender.Configuration = .init()
        ) -> AlertSender {
            AlertSender(
                pool: service.pool, clock: service.clock.domain, configuration: configuration, hosts: hosts,
                raised: raised, logger: .silent, random: { 0 }, send: { [push] in await push.send($0, $1) })
        }

        func subscriptions() async throws -> Int {
            try await service.pool.query("SELECT count(*) AS n FROM alert_subscriptions")[0].decode("n")
        }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await DispatchUnderTest.run { try await body(Scene(service: $0, delivery: delivery)) }
    }

    @Test("Each alert from then on reaches each browser once; what was there before reaches none")
    func once() async throws {
        try await withScene { scene in
            try await scene.raise(1, "arriving")
            #expect(try await scene.ask() == nil)
            #expect(try await scene.ask("https://push.example.com/def") == nil)
            try await scene.send()
            #expect(scene.push.bodies.isEmpty)
            for version in 2...4 { try await scene.raise(version, "at-door") }
            try await scene.send()
            try await scene.raise(5, "at-door")
            try await scene.send()
            #expect(scene.push.bodies == ["at-door", "at-door"] && scene.push.endpoints.count == 2)
            try await scene.raise(6, nil)
            #expect(try await scene.send() == 0)
        }
    }

    @Test("An alert that is raised while a browser subscribes is not missed")
    func raisedMeanwhile() async throws {
        try await withScene { scene in
            let subscription = AlertSubscription(
                delivery: delivery, browser: try .any(), locale: "en", alertedIDs: [])
            // After what the subscription was made from was read, and before it is stored.
            try await scene.raise(1, "arriving")
            try await AlertSubscriptionRepository.turnOn(
                subscription, proof: nil, at: scene.service.clock.now, on: scene.service.pool)
            try await scene.send()
            #expect(scene.push.bodies == ["arriving"])
        }
    }

    @Test("What certainly reached nobody is sent again, and what may have is not")
    func again() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            scene.push.answer(.unavailable(.notConnected("refused")), .throttled(retryAfter: .seconds(30)))
            try await scene.raise(1, "arriving")
            for _ in 0..<2 { try await scene.send() }
            #expect(scene.push.bodies.count == 1)
            scene.service.clock.advance(by: 6)
            try await scene.send()
            scene.service.clock.advance(by: 20)
            #expect(try await scene.send() == 0)
            scene.service.clock.advance(by: 11)
            try await scene.send()
            #expect(scene.push.bodies == ["arriving", "arriving", "arriving"])

            scene.push.answer(.unavailable(.timedOut))
            try await scene.raise(2, "at-door")
            for _ in 0..<3 {
                try await scene.send()
                scene.service.clock.advance(by: 600)
            }
            #expect(scene.push.bodies.count == 4)
        }
    }

    @Test("A newer alert that comes while one waits is sent in its place, and then never the older one")
    func overtaken() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            scene.push.answer(.unavailable(.notConnected("refused")))
            try await scene.raise(1, "arriving")
            try await scene.send()
            try await scene.raise(2, "at-door")
            try await scene.send()
            scene.service.clock.advance(by: 60)
            try await scene.send()
            #expect(scene.push.bodies == ["arriving", "at-door"])
        }
    }

    @Test("A browser whose push service knows it no more is forgotten, of every delivery")
    func gone() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            let other = Scene(service: scene.service, delivery: DeliveryID(UUID()))
            _ = try await other.ask()
            scene.push.answer(.gone)
            try await scene.raise(1, "arriving")
            try await scene.send()
            #expect(try await scene.subscriptions() == 0)
        }
    }

    @Test("Two replicas at once send each alert once")
    func replicas() async throws {
        try await withScene { scene in
            for number in 0..<AlertSubscription.deliveryMax {
                _ = try await scene.ask("https://push.example.com/\(number)")
            }
            try await scene.raise(1, "arriving")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await scene.sender().sendDue() } }
                try await group.waitForAll()
            }
            #expect(scene.push.bodies.count == AlertSubscription.deliveryMax && scene.push.endpoints.count == 10)
        }
    }

    @Test("Ended deliveries, foreign push services and nonsense are refused; a repeat is not")
    func refused() async throws {
        try await withScene { scene in
            for _ in 0..<2 { #expect(try await scene.ask("https://push.example.com/3") == nil) }
            #expect(try await scene.ask("https://push.elsewhere.example/3") == .malformed)
            #expect(try await scene.ask("https://push.elsewhere.example/3", isWanted: false) == .malformed)
            #expect(try await scene.ask("http://127.0.0.1/3") == .malformed)
            #expect(try await scene.ask("https://push.example.com/\u{0}", isWanted: false) == .malformed)
            #expect(try await scene.subscribe(nil).refusal?.reason == .malformed)
            try await scene.service.end(9, of: delivery)
            #expect(try await scene.ask() == .ended)
        }
    }

    @Test("However many browsers are turned on and off, ten of a delivery are kept, and two of a proof")
    func excess() async throws {
        try await withScene { scene in
            for number in 0..<30 {
                #expect(try await scene.ask("https://push.example.com/\(number)") == nil)
                if number < 28 { _ = try await scene.ask("https://push.example.com/\(number)", isWanted: false) }
                scene.service.clock.advance(by: 1)
            }
            #expect(try await scene.subscriptions() == AlertSubscription.deliveryMax)
            for number in 0..<30 {
                #expect(try await scene.ask("https://push.example.com/other/\(number)", proof: "a1") == nil)
                scene.service.clock.advance(by: 1)
            }
            #expect(try await scene.subscriptions() == AlertSubscription.deliveryMax)
            try await scene.raise(1, "arriving")
            try await scene.send()
            // One who proved once does not keep those out that were there.
            let expected = ["28", "29", "other/28", "other/29"].map { "https://push.example.com/\($0)" }
            #expect(scene.push.endpoints == Set(expected))
        }
    }

    @Test("One browser more than a delivery may have is notified in place of the one that asked first")
    func displaced() async throws {
        try await withScene { scene in
            for number in 0...AlertSubscription.deliveryMax {
                #expect(try await scene.ask("https://push.example.com/\(number)") == nil)
                scene.service.clock.advance(by: 1)
            }
            try await scene.raise(1, "arriving")
            try await scene.send()
            let expected = (1...AlertSubscription.deliveryMax).map { "https://push.example.com/\($0)" }
            #expect(scene.push.endpoints == Set(expected))
        }
    }

    @Test("A browser that is turned off is sent nothing, and turned on again nothing that it has had")
    func offAndOn() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            try await scene.raise(1, "late-1")
            try await scene.send()
            // Written as another browser may: the same address.
            #expect(try await scene.ask("HTTPS://Push.example.com:443/abc", isWanted: false) == nil)
            try await scene.raise(2, "question")
            try await scene.send()
            try await scene.raise(3, "late-1")
            _ = try await scene.ask()
            try await scene.send()
            #expect(scene.push.bodies == ["late-1"])
            try await scene.raise(4, "arriving")
            try await scene.send()
            #expect(scene.push.bodies == ["late-1", "arriving"])
        }
    }

    @Test("A browser that is turned on again is not sent what was raised while it was off")
    func raisedWhileOff() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            try await scene.raise(1, "late-1")
            try await scene.send()
            _ = try await scene.ask(isWanted: false)
            try await scene.raise(2, "question")
            try await scene.send()
            _ = try await scene.ask()
            try await scene.send()
            #expect(scene.push.bodies == ["late-1"])
        }
    }

    @Test("What was raised by a process that noted nothing is found by the comparison, and found once")
    func compared() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            try await scene.send()
            try await scene.service.show(1, of: delivery, alert: "arriving")
            #expect(scene.raised.take().isEmpty)
            #expect(try await scene.send() == 1)
            #expect(try await scene.send() == 0)
            #expect(scene.push.bodies == ["arriving"])
        }
    }

    @Test(
        "A row or a state that cannot be read keeps no other browser from being notified",
        arguments: [
            "UPDATE alert_subscriptions SET alerted_ids = '{}' WHERE endpoint LIKE '%bad'",
            "UPDATE activities SET wanted = '{\"show\": {\"alert\": {\"id\": \"x\", \"validUntil\": 4102444800}}}' WHERE version = 7",
        ])
    func unreadable(damage: String) async throws {
        try await withScene { scene in
            let other = Scene(service: scene.service, delivery: DeliveryID(UUID()))
            _ = try await other.ask("https://push.example.com/bad")
            try await other.raise(7, "arriving")
            _ = try await scene.ask()
            try await scene.raise(1, "arriving")
            try await scene.service.pool.execute(SQL(raw: damage))
            try await scene.send()
            try await scene.send()
            #expect(scene.push.endpoints == ["https://push.example.com/abc"])
        }
    }

    @Test("A push service that is not sent to any more is forgotten with its browsers")
    func narrowed() async throws {
        try await withScene { scene in
            _ = try await scene.ask()
            try await scene.raise(1, "arriving")
            try await scene.sender(to: WebPushHosts(["push.elsewhere.example"])).sendDue()
            #expect(try await scene.subscriptions() == 0 && scene.push.bodies.isEmpty)
        }
    }

    @Test("A running sender is woken by what is raised, waits for no slow browser, and finishes what is on its way")
    func running() async throws {
        try await withScene { scene in
            for number in 0..<3 { _ = try await scene.ask("https://push.example.com/\(number)") }
            scene.push.hold("https://push.example.com/0")
            let sender = scene.sender()
            let logger = Logger.silent
            let group = ServiceGroup(configuration: .init(services: [.init(service: sender)], logger: logger))
            async let running: Void = group.run()
            try await scene.raise(1, "arriving")
            await scene.push.waitUntilSent(3)
            try await scene.raise(2, "at-door")
            await scene.push.waitUntilSent(6)
            await group.triggerGracefulShutdown()
            scene.push.letGo(.gone)
            try await running
            #expect(try await scene.subscriptions() == 2)
        }
    }

    @Test("Subscriptions are deleted a day after the end of the card, and not before")
    func retention() async throws {
        try await withScene { scene in
            try await scene.raise(1, nil)
            _ = try await scene.ask()
            try await scene.service.end(2, of: delivery)
            let retention = Retention(pool: scene.service.pool, clock: scene.service.clock.domain, logger: .silent)
            scene.service.clock.advance(by: 80_000)
            try await retention.deleteExpired()
            #expect(try await scene.subscriptions() == 1)
            scene.service.clock.advance(by: 10_000)
            try await retention.deleteExpired()
            #expect(try await scene.subscriptions() == 0)
        }
    }
}
