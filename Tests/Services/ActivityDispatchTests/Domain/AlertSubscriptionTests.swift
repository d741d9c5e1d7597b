import Crypto
import Foundation
import LiveActivity
import Messages
import OrderDomain
import SeededRandom
import Testing
import WebPushClient

@testable import ActivityDispatch

@Suite("A browser's subscription to alerts")
struct AlertSubscriptionTests {
    private static let delivery = DeliveryID(UUID())
    private static let now = Int(noon.timeIntervalSince1970)

    private static func subscription(alerted: [String] = []) throws -> AlertSubscription {
        AlertSubscription(
            delivery: delivery, browser: try .any(), locale: "da", alertedIDs: alerted)
    }

    @Test("Each alert is reserved once, also where an older one is wanted again")
    func once() throws {
        var subscription = try Self.subscription()
        #expect(subscription.reserve(.shows(1, alert: "delayed"), now: Self.now)?.id == "delayed")
        #expect(subscription.reserve(.shows(2, alert: "delayed"), now: Self.now) == nil)
        #expect(subscription.reserve(.shows(3, alert: "question"), now: Self.now)?.id == "question")
        #expect(subscription.reserve(.shows(4, alert: "delayed"), now: Self.now) == nil)
        #expect(
            subscription.reserve(.shows(5), now: Self.now) == nil && subscription.reserve(nil, now: Self.now) == nil)
    }

    /// A delivery that its courier has on the road.
    private static func onTheRoad() throws -> Delivery {
        var delivery = try Delivery.sample(id: Self.delivery)
        let noah = OrderDomain.Courier(
            id: try #require(CourierID(rawValue: "noah")), name: "Noah", vehicle: .car, phone: nil)
        _ = try delivery.apply(.courier(noah), at: noon)
        for code in [StatusCode.pickedUp, .enRoute] {
            _ = try delivery.apply(.override(code, reason: "a test"), at: noon)
        }
        return delivery
    }

    @Test("Each approach to the door is announced, and what interrupts one announces it no second time")
    func approaches() throws {
        var (subscription, delivery) = (try Self.subscription(), try Self.onTheRoad())
        var announced: [String] = []
        for change in [
            .status(.arriving, reason: nil), .hold(reason: "a test"), .release, .override(.enRoute, reason: "a test"),
            .status(.arriving, reason: nil), .hold(reason: "a test"), .release,
        ] as [DeliveryChange] {
            #expect(try delivery.apply(change, at: noon))
            let step = ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: 0)
            if let notification = subscription.reserve(step, now: Self.now) { announced.append(notification.id) }
        }
        let activity = DispatchUnderTest.activity(delivery.id).rawValue
        #expect(announced == ["\(activity)/arriving", "\(activity)/arriving/1"])
    }

    /// A provider's report that arrives 38 seconds after its event.
    private static func report(_ code: StatusCode, occurredAt: Date) -> DeliveryChange {
        .report(
            ProviderReport(
                source: .cloudEvents, sourceName: "The shop", id: code.rawValue, kind: code.rawValue, status: code,
                occurredAt: occurredAt, receivedAt: occurredAt + 38))
    }

    @Test("An arrival and an attempt that a provider dates back are announced once, and so is the next arrival")
    func datedBack() throws {
        var (subscription, delivery) = (try Self.subscription(), try Self.onTheRoad())
        let changes: [(Double, DeliveryChange)] = [
            (20, .milestone(.atDoor, assignmentEpoch: delivery.assignmentEpoch)),
            (40, Self.report(.atDoor, occurredAt: noon + 2)),
            (60, .status(.attempted, reason: nil)),
            (80, Self.report(.attempted, occurredAt: noon + 42)),
            (100, .status(.atDoor, reason: nil)),
        ]
        var since: [TimeInterval] = []
        var announced: [String] = []
        for (seconds, change) in changes {
            #expect(try delivery.apply(change, at: noon + seconds))
            since.append(delivery.statusSince.timeIntervalSince(noon))
            let step = ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: 0)
            let notification = subscription.reserve(step, now: Self.now + Int(seconds))
            if let notification { announced.append(notification.id) }
        }
        #expect(since == [20, 2, 60, 42, 100])
        let activity = DispatchUnderTest.activity(delivery.id).rawValue
        #expect(
            announced == [
                "\(activity)/at-door/\(Self.now + 20)", "\(activity)/attempted/\(Self.now + 60)",
                "\(activity)/at-door/\(Self.now + 100)",
            ])
    }

    @Test("What was there before the browser subscribed, and what comes too late, is not sent")
    func passedOver() throws {
        var subscription = try Self.subscription(alerted: ["arriving"])
        #expect(subscription.reserve(.shows(1, alert: "arriving"), now: Self.now) == nil)
        #expect(subscription.reserve(.shows(2, alert: "late", alertUntil: Self.now), now: Self.now) == nil)
        #expect(subscription.reserve(.shows(2, alert: "late"), now: Self.now) == nil, "it was passed over for good")
    }

    @Test("What reached nobody is sent again, later each time, until the alert is no longer valid")
    func released() throws {
        var subscription = try Self.subscription()
        let step = ActivityStep.shows(1, alert: "at-door", alertUntil: Self.now + 60)
        var (now, waits) = (noon, [Double]())
        while let notification = subscription.reserve(step, now: Int(now.timeIntervalSince1970)) {
            let next = subscription.release(notification, now: now, rate: 1, after: nil, jitter: 0)
            guard let next else { break }
            waits.append(next.timeIntervalSince(now))
            now = next
        }
        #expect(waits == [5, 10, 20])
        #expect(subscription.reserve(step, now: Int(now.timeIntervalSince1970)) == nil)
    }

    @Test("A push service's own pause is kept, in domain time")
    func pause() throws {
        var subscription = try Self.subscription()
        let reserved = subscription.reserve(.shows(1, alert: "at-door"), now: Self.now)
        let notification = try #require(reserved)
        let next = subscription.release(notification, now: noon, rate: 60, after: .seconds(120), jitter: 1)
        #expect(next == noon.addingTimeInterval(7_200))
    }

    @Test("The message has the phone's words, the page to open, and a topic that says nothing of the delivery")
    func message() throws {
        var subscription = try Self.subscription()
        let alert = ActivityAlert(
            id: "a", validUntil: Self.now + 600, title: Phrase(code: "alert_delivered", text: "Delivered"),
            body: Phrase(code: "alert_here", values: ["store": "Nordhavn"], text: ""))
        let step = ActivityStep.show(
            .init(
                attributes: .any("a1"), content: .linked, startAt: 0, staleAt: farAhead,
                relevance: 0, alert: alert))
        let reserved = subscription.reserve(step, now: Self.now)
        let notification = try #require(reserved)
        let message = try notification.message(now: Self.now, rate: 60)
        let content = try JSONDecoder().decode(AlertNotification.Content.self, from: Data(message.plaintext))
        #expect(content.title == "Leveret" && content.body == "Dine varer fra Nordhavn er her")
        #expect(content.language == "da" && content.path == "/l/abc" && content.tag == Self.delivery.rawValue)
        #expect(message.timeToLive == .seconds(10) && message.urgency == .high)
        let topic = try #require(message.topic)
        #expect(topic.count == 32 && !topic.contains(Self.delivery.rawValue.prefix(8)))
    }

    @Test(
        "However alerts come and go and messages fail, none is handed over twice", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var subscription = try Self.subscription()
        var (now, handedOver) = (noon, [String]())
        for version in 1...60 {
            now += Double.random(in: 0...40, using: &random)
            let id = "alert-\(Int.random(in: 0..<24, using: &random))"
            let step = ActivityStep.shows(version, alert: Bool.random(using: &random) ? id : nil)
            guard let notification = subscription.reserve(step, now: Int(now.timeIntervalSince1970)) else { continue }
            if Bool.random(using: &random) {
                handedOver.append(notification.id)
            } else {
                _ = subscription.release(notification, now: now, rate: 1, after: nil, jitter: 0)
            }
        }
        #expect(Set(handedOver).count == handedOver.count)
    }
}

extension GroceryDeliveryAttributes.ContentState {
    /// With a button to the delivery's page.
    fileprivate static var linked: Self {
        var content = any(1, 0, .onTheWay, nil)
        content.buttons = [CardButton(verb: "details", title: "See", url: "https://go.nordhavn.example/l/abc")]
        return content
    }
}

extension WebPushSubscription {
    /// Of a browser that reads nothing.
    static func any(_ endpoint: String = "https://push.example.com/abc") throws -> WebPushSubscription {
        try WebPushSubscription(endpoint: endpoint, p256dh: keys.p256dh, auth: keys.auth)
    }

    /// As a browser has them.
    static let keys = (
        p256dh: P256.KeyAgreement.PrivateKey().publicKey.x963Representation.base64URL,
        auth: Data(repeating: 7, count: 16).base64URL
    )
}

extension Data {
    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
