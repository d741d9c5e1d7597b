import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import TestSupport
import Testing
import WireCoding

/// The invariants of every screen, whatever faults the stack had.
extension Simulation {
    /// Waits until every delivery has a card.
    ///
    /// Customers are left out one of whose deliveries is cancelled, which may be before its card has started.
    package func waitForCards() async throws {
        let waiting = baskets.filter { !$0.endings.contains(.cancelled) }
        let count = waiting.map(\.endings.count).reduce(0, +)
        let devices = Set(waiting.map(\.customer)).sorted().flatMap(devices(of:))
        try await eventually("each has a card", explain: { await self.screenLog }) {
            var shown: Set<String> = []
            for device in devices { shown.formUnion(await device.screen.cards.values.compactMap(\.delivery)) }
            return shown.count == count
        }
    }

    /// Expects that every delivery has the ending of the scenario, that each device has shown it on exactly one card,
    /// which has ended with the delivery's last revision and its dismissal date, and that no screen went back.
    ///
    /// - Parameter mayMissWholeDeliveries: whether the broker was down for so long that a delivery may have begun and
    ///   ended meanwhile. Such a delivery never has a card; otherwise only a cancelled one may have none.
    package func expectEveryCardEnded(
        _ ended: [Ended], within seconds: Double = 90, mayMissWholeDeliveries: Bool = false
    ) async throws {
        for one in ended {
            #expect(one.delivery.status == one.ending.status)
            for device in devices(of: try #require(one.delivery.customer).rawValue) {
                try await eventually("\(device.id) shows the end", within: seconds, explain: { await self.screenLog }) {
                    if await device.screen.cards(of: one.delivery.id.rawValue).contains(where: \.hasEnded) {
                        return true
                    }
                    guard mayMissWholeDeliveries || one.ending == .cancelled else { return false }
                    return try await endedBeforeFirstSeen(one, on: device)
                }
                let cards = await device.screen.cards(of: one.delivery.id.rawValue)
                #expect(cards.count <= 1, "one card of a delivery: \(cards.map(\.log))")
                if let card = cards.first { try check(card, of: one) }
            }
        }
        for device in devices {
            try await eventually("the summary has ended on \(device.id)", explain: { await self.screenLog }) {
                await device.screen.summaries.allSatisfy(\.hasEnded)
            }
        }
        await expectNoViolations()
    }

    /// Whether a device has no card and will get none, because the delivery had ended before the first intent arrived.
    private func endedBeforeFirstSeen(_ one: Ended, on device: SimulatedDevice) async throws -> Bool {
        guard await device.screen.cards(of: one.delivery.id.rawValue).isEmpty else { return false }
        do {
            let activity: ActivityBody = try await stack.asOperator.get(
                .dispatch, "/v1/activities/\(one.delivery.activity)")
            return activity.wanted.isEnd && activity.cards.allSatisfy { $0.state == "waiting" }
        } catch let refused as RetryingClient.ResponseError where refused.status == 404 {
            // No intent has arrived yet.
            return false
        }
    }

    /// Expects that no screen went back, no event came twice, and no push was one that a phone would refuse.
    package func expectNoViolations() async {
        for device in devices {
            let screen = await device.screen
            #expect(screen.violations.isEmpty, "\(device.id): \(screen.violations.joined(separator: "\n"))")
        }
    }

    private func check(_ card: CardHistory, of one: Ended) throws {
        let delivery = one.delivery
        let starts = card.pushes.count { $0.event == .start }
        #expect(starts == 1, "one start: \(card.log)")
        #expect(card.activity == delivery.activity.rawValue)
        let last = try #require(card.last)
        #expect(last.content.phase == .ended, "\(card.log)")
        #expect(last.content.headline.code == one.ending.status.rawValue, "\(card.log)")
        #expect(last.content.revision.version == delivery.version, "the last revision: \(card.log)")
        let endedAt = try #require(delivery.endedAt).epochSeconds
        let dismissal = try #require(last.dismissalDate)
        // The configured time after the end, but visible for at least a minute.
        let wanted = max(endedAt + one.ending.keptSeconds, last.timestamp + 60)
        // The wire rounds the end to a millisecond, which may be another second.
        #expect(abs(dismissal - wanted) <= 1, "dismissed at \(dismissal), not \(wanted): \(card.log)")
    }

    /// Expects that a shop can place an order within `seconds` wall seconds of a standby's promotion, and prints the
    /// time.
    package func expectOrderIsPlaced(within seconds: Double) async throws {
        let promoted = ContinuousClock.now
        let basket = Basket(customer: "mette", endings: [.delivered])
        let first = stack.clock.now
        var latest = ""
        try await eventually("an order is placed", within: seconds, explain: { latest }) {
            let (order, response) = try await tryToPlace(basket, number: 500, at: first)
            latest = response
            return order != nil
        }
        print("    an order was placed \((.now - promoted) / .seconds(1)) s after the promotion")
    }

    /// Expects that nothing that ended reappears: each service republishes its snapshots, a new order goes the whole
    /// way behind them, and no screen changed except for the new card.
    package func expectNothingReappears() async throws {
        var before: [String: Int] = [:]
        for device in devices { before[device.id] = await device.screen.cards.values.flatMap(\.pushes).count }
        for service in ServiceName.messaging {
            try await stack.asOperator.exchange(.POST, service, "/v1/admin/republish")
        }
        for (index, customer) in Set(devices.map(\.customer)).sorted().enumerated() {
            let basket = Basket(customer: customer, endings: [.delivered])
            let order = try await place(basket, number: 1_000 + index, routes: [.synthetic(index)])
            let delivery = try #require(order.deliveries.first).id.rawValue
            for device in devices(of: customer) {
                try await eventually("\(device.id) shows a new order", explain: { await self.screenLog }) {
                    await !device.screen.cards(of: delivery).isEmpty
                }
                let screen = await device.screen
                let old = screen.cards.values.filter { $0.delivery != delivery }.flatMap(\.pushes)
                #expect(old.count == before[device.id], "\(screen.log)")
            }
        }
        await expectNoViolations()
    }
}
