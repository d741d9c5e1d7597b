import DomainTime
import Foundation
import Messages
import NatsClient
import OrderDomain
import ReliableMessaging
import ServiceLifecycle
import ServiceRuntime
import WireCoding

/// Follows intents while this process has an open page; the broker sends a process without open pages none.
///
/// An intent of a delivery without an open page is not even decoded.
struct PageIntents: Service {
    /// Unread messages; the next comparison requests intents dropped beyond them.
    private static let bufferedMessagesMax = 1_024

    let nats: NatsClient
    let pages: OpenPages
    let cards: PageCards
    let clock: DomainClock

    /// Follows until graceful shutdown; never fails because of an outage.
    func run() async throws {
        await cancelWhenGracefulShutdown { await self.follow() }
    }

    private func follow() async {
        await withDiscardingTaskGroup { group in
            var customers: Set<CustomerID> = []
            var following: Task<Void, Never>?
            for await change in pages.customerChanges {
                switch change {
                case .began(let customer):
                    customers.insert(customer)
                    if following == nil {
                        // One that does not end here is awaited below.
                        following = Task { await followAll() }
                    } else {
                        group.addTask { await cards.askAgain(of: customer) }
                    }
                case .ended(let customer):
                    customers.remove(customer)
                    if customers.isEmpty {
                        following?.cancel()
                        following = nil
                    }
                }
            }
            following?.cancel()
            await following?.value
        }
    }

    /// Reads intents until it is cancelled.
    private func followAll() async {
        await nats.forEachMessage(
            of: Subject.allIntents, bufferedMessagesMax: Self.bufferedMessagesMax,
            subscribed: { for customer in pages.streams.owners { await cards.askAgain(of: customer) } },
            handle: { handle($0) })
    }

    /// Applies the intents of deliveries with an open page.
    func handle(_ message: NatsMessage) {
        let elements = MessageBatch.elements(of: message) { activity in
            ActivityID(rawValue: activity)?.delivery.map(pages.followed.contains) ?? false
        }
        for element in elements {
            // The next comparison requests undecodable intents.
            guard let intent = try? WireJSON.decode(Intent.self, from: Data(element)), let delivery = intent.delivery
            else { continue }
            cards.update(
                WantedCards.Card(
                    delivery: delivery, activity: intent.activity, step: intent.step, at: clock.now.epochSeconds))
        }
    }
}
