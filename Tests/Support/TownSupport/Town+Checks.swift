import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import Testing
import WireCoding

/// What must hold on every screen, whatever was done to the stack.
extension Town {
    /// Every delivery has ended as it should, each device has shown it on one card and one only, that card has ended
    /// with the delivery's last word and leaves in its time, and nothing ever went back.
    ///
    /// - Parameter wholeDeliveriesMissed: whether the broker was away for so long that a delivery may have begun and
    ///   ended meanwhile. Such a one never has a card; without this only one that was called off may have none.
    package func everyCardEndsRight(
        _ ended: [Ended], within seconds: Double = 90, wholeDeliveriesMissed: Bool = false
    ) async throws {
        for one in ended {
            #expect(one.delivery.status == one.ending.status)
            for watcher in watchers(of: one.delivery.customer.rawValue) {
                try await eventually("\(watcher.device) shows the end", within: seconds, explain: { await self.story })
                {
                    if await watcher.screen.cards(of: one.delivery.id.rawValue).contains(where: \.hasEnded) {
                        return true
                    }
                    guard wholeDeliveriesMissed || one.ending == .cancelled else { return false }
                    return try await wasOverBeforeItBegan(one, on: watcher)
                }
                let cards = await watcher.screen.cards(of: one.delivery.id.rawValue)
                #expect(cards.count <= 1, "one card of a delivery: \(cards.map(\.story))")
                if let card = cards.first { try check(card, of: one) }
            }
        }
        for watcher in watchers {
            try await eventually("the summary has ended on \(watcher.device)", explain: { await self.story }) {
                await watcher.screen.summaries.allSatisfy(\.hasEnded)
            }
        }
        await nothingWentWrong()
    }

    /// Whether a device never had a card of it and shall have none: what was over when it was first heard of.
    private func wasOverBeforeItBegan(_ one: Ended, on watcher: Watcher) async throws -> Bool {
        guard await watcher.screen.cards(of: one.delivery.id.rawValue).isEmpty else { return false }
        do {
            let activity: ActivityBody = try await Caller(stack: stack, token: stack.tokens.operator).get(
                .dispatch, "/v1/activities/\(one.delivery.activity)")
            return activity.wanted.isEnd && activity.cards.allSatisfy { $0.state == "waiting" }
        } catch let refused as Caller.Refused where refused.status == 404 {
            // Not heard of yet.
            return false
        }
    }

    /// No screen went back, no event came twice, nothing was sent that a phone would refuse.
    package func nothingWentWrong() async {
        for watcher in watchers {
            let screen = await watcher.screen
            #expect(screen.breaches.isEmpty, "\(watcher.device): \(screen.breaches.joined(separator: "\n"))")
        }
    }

    private func check(_ card: CardHistory, of one: Ended) throws {
        let delivery = one.delivery
        let starts = card.pushes.count { $0.event == .start }
        #expect(starts == 1, "one start: \(card.story)")
        #expect(card.activity == delivery.activity.rawValue)
        let last = try #require(card.last)
        #expect(last.content.phase == .ended, "\(card.story)")
        #expect(last.content.headline.code == one.ending.status.rawValue, "\(card.story)")
        #expect(last.content.revision.version == delivery.version, "the last word: \(card.story)")
        let endedAt = try #require(delivery.endedAt).epochSeconds
        let dismissal = try #require(last.dismissalDate)
        // So long after the end, unless the end came too late to be seen for a minute.
        let wanted = max(endedAt + one.ending.keptSeconds, last.timestamp + 60)
        // The wire rounds the end to a millisecond, which may be another second.
        #expect(abs(dismissal - wanted) <= 1, "dismissed at \(dismissal), not \(wanted): \(card.story)")
    }

    /// Nothing that is over comes back: each service says again all it knows, a new order goes the whole way behind
    /// that, and no screen has changed but for the new card.
    package func nothingComesBack() async throws {
        var before: [String: Int] = [:]
        for watcher in watchers { before[watcher.device] = await watcher.screen.cards.values.flatMap(\.pushes).count }
        let caller = Caller(stack: stack, token: stack.tokens.operator)
        for service in ServiceName.allCases {
            try await caller.exchange(.POST, service, "/v1/admin/republish")
        }
        for (index, customer) in Set(watchers.map(\.customer)).sorted().enumerated() {
            let basket = Basket(customer: customer, endings: [.delivered])
            let order = try await place(basket, number: 1_000 + index, routes: [.ours(index)])
            let delivery = try #require(order.deliveries.first).id.rawValue
            for watcher in watchers(of: customer) {
                try await eventually("\(watcher.device) shows a new order", explain: { await self.story }) {
                    await !watcher.screen.cards(of: delivery).isEmpty
                }
                let screen = await watcher.screen
                let old = screen.cards.values.filter { $0.delivery != delivery }.flatMap(\.pushes)
                #expect(old.count == before[watcher.device], "\(screen.story)")
            }
        }
        await nothingWentWrong()
    }
}
