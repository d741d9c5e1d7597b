import DoorstepAPI
import LiveActivity
import OrderDomain
import Testing
import TownSupport
import WireCoding

extension SystemTests {
    @Suite("courier-eta is away")
    struct AbsentETAStory {
        /// Domain seconds that `orders` leaves the holder of the baton before it writes by itself.
        private static let patienceSeconds = 10

        @Test(
            "A delivery that is delivered while courier-eta is down ends on its screen all the same",
            .timeLimit(.minutes(3)))
        func deliveredMeanwhile() async throws {
            try await Town.live([Town.Basket(customer: "mette", endings: [.delivered])]) { town in
                let order = try await town.place(
                    Town.Basket(customer: "mette", endings: [.delivered]), number: 0, routes: [.ours(0)])
                let delivery = try #require(order.deliveries.first)
                let run = town.run(delivery, courier: "mira", route: .ours(0), ending: .delivered)
                try await run.prepare()
                try await run.press(.pickedUp)
                for watcher in town.watchers {
                    try await eventually("courier-eta has the baton", explain: { await town.story }) {
                        await watcher.screen.cards(of: delivery.id.rawValue).first?.last?.content.phase == .onTheWay
                    }
                }

                await town.stack.kill9(.courierETA)
                try await run.handOver()
                let ended = try await town.ended(delivery.id, .delivered)
                try await town.everyCardEndsRight([ended], within: 30)
                let endedAt = try #require(ended.delivery.endedAt).epochSeconds
                for watcher in town.watchers {
                    let last = try #require(await watcher.screen.cards(of: delivery.id.rawValue).first?.last)
                    #expect(last.content.revision.step == 0, "orders wrote the end: \(last)")
                    #expect(last.timestamp >= endedAt + Self.patienceSeconds, "after its patience: \(last)")
                }

                // Back again it says the end too, which is the same end.
                try await town.stack.start(.courierETA)
                try await town.nothingComesBack()
            }
        }
    }
}
