import DomainTime
import Foundation
import Messages
import NatsClient
import OrderDomain
import ServiceLifecycle
import WireCoding

/// Follows the intents of customers with an open page in this process; the broker sends a process without open pages
/// none.
struct PageIntents: Service {
    /// Unread intents of one customer; the next comparison requests intents dropped beyond them.
    private static let bufferedIntentsMax = 64

    let nats: NatsClient
    let pages: OpenPages
    let cards: PageCards
    let clock: DomainClock

    /// Follows until graceful shutdown; never fails because of an outage.
    func run() async throws {
        await cancelWhenGracefulShutdown { await self.follow() }
    }

    private func follow() async {
        var followers: [CustomerID: Task<Void, Never>] = [:]
        for await change in pages.customerChanges {
            switch change {
            // One that does not end here is awaited below.
            case .began(let customer): followers[customer] = Task { await follow(customer) }
            case .ended(let customer): followers.removeValue(forKey: customer)?.cancel()
            }
        }
        for follower in followers.values { follower.cancel() }
        for follower in followers.values { await follower.value }
    }

    /// Reads a customer's intents until it is cancelled.
    private func follow(_ customer: CustomerID) async {
        await nats.forEachMessage(
            of: Subject.intents(of: customer), bufferedMessagesMax: Self.bufferedIntentsMax,
            subscribed: { await cards.askAgain(of: customer) }, handle: { handle($0) })
    }

    /// Applies an intent; the intent of a delivery without an open page is not even decoded.
    private func handle(_ message: NatsMessage) {
        guard let activity = message.subject.split(separator: ".").last,
            let delivery = ActivityID(rawValue: String(activity))?.delivery, pages.followed.contains(delivery),
            // The next comparison requests undecodable intents.
            let intent = try? WireJSON.decode(Intent.self, from: Data(message.payload)), intent.delivery == delivery
        else { return }
        cards.update(
            WantedCards.Card(
                delivery: delivery, activity: intent.activity, step: intent.step, at: clock.now.epochSeconds))
    }
}
