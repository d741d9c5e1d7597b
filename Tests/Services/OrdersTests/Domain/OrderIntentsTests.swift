import Foundation
import LiveActivity
import Messages
import OrderDomain
import ReliableMessaging
import Testing
import WireCoding

@testable import Orders

@Suite("Intents of orders")
struct OrderIntentsTests {
    private let messages: DeliveryMessages

    init() throws {
        let signer = try LinkSigner(
            origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)], signing: 1)
        messages = DeliveryMessages(signer: signer, intents: OrderIntents(dismissal: .standard))
    }

    /// When what `orders` says of a delivery becomes stale; said with a change, or again as a resync does.
    private func staleAt(_ delivery: Delivery, at now: Date) throws -> Date {
        let subject = Subject.intents(.orders)
        let all = try messages.messages(for: .init(delivery: delivery), cause: "change", at: now)
        let message = try #require(all.first { $0.subject == subject })
        guard case .show(let shown) = try WireJSON.decode(Intent.self, from: Data(message.payload)).step else {
            throw NotShown()
        }
        return Date(timeIntervalSince1970: TimeInterval(shown.staleAt))
    }

    private struct NotShown: Error {}

    /// A delivery that is picked from 20 minutes before its window on.
    private func picked() throws -> Delivery {
        var delivery = try Delivery.sample()
        let since = delivery.promise.start.addingTimeInterval(-20 * 60)
        for code in [StatusCode.accepted, .picking] { _ = try delivery.apply(.status(code, reason: nil), at: since) }
        return delivery
    }

    @Test("A window goes at its end, of a silent courier and while no newer estimate comes; until then it stays")
    func overWindow() throws {
        var delivery = try picked()
        let changes: [DeliveryChange] = [
            .courier(Delivery.mira), .status(.staged, reason: nil), .status(.pickedUp, reason: nil),
        ]
        for change in changes { _ = try delivery.apply(change, at: delivery.statusSince) }
        let end = delivery.statusSince.addingTimeInterval(600)
        let estimate = Estimate(arrivesAt: end, earliest: end, latest: end, madeAt: delivery.statusSince)
        func arrival(_ delivery: Delivery, after seconds: TimeInterval) -> Window? {
            messages.intent(
                for: DeliveryRecord(delivery: delivery, estimate: estimate), at: end.addingTimeInterval(seconds)
            ).step.content.arrival
        }
        #expect(arrival(delivery, after: -1) != nil && arrival(delivery, after: 3_600) == nil)
        _ = try delivery.apply(.milestone(.silent, assignmentEpoch: 1), at: end)
        #expect(arrival(delivery, after: -1) != nil && arrival(delivery, after: 3_600) == nil)
    }

    @Test("An item that is found 32 minutes after picking began is fresh news")
    func itemFound() throws {
        var delivery = try picked()
        let now = delivery.statusSince.addingTimeInterval(32 * 60)
        _ = try delivery.apply(.item(delivery.items[1].id, .found(quantity: 1)), at: now)
        #expect(try staleAt(delivery, at: now) > now)
    }

    @Test("A hold that begins long after the status did is fresh news")
    func hold() throws {
        var delivery = try picked()
        let now = delivery.statusSince.addingTimeInterval(80 * 60)
        _ = try delivery.apply(.hold(reason: "the fridge broke"), at: now)
        #expect(try staleAt(delivery, at: now) > now)
    }

    @Test("What is said again is fresh from then on, and the content is the same")
    func repeated() throws {
        let delivery = try picked()
        let later = delivery.statusSince.addingTimeInterval(60 * 60)
        #expect(try staleAt(delivery, at: later) == later.addingTimeInterval(30 * 60))
        let intents = [delivery.statusSince, later].map { messages.intent(for: .init(delivery: delivery), at: $0) }
        #expect(intents[0].step.content == intents[1].step.content)
    }
}
