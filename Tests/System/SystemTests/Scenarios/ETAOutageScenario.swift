import DoorstepAPI
import LiveActivity
import OrderDomain
import SimulationSupport
import TestSupport
import Testing
import WireCoding

extension SystemTests {
    @Suite("courier-eta is down")
    struct ETAOutageScenario {
        /// Domain seconds that `orders` waits for the holder of the baton before it writes the end itself.
        private static let fallbackDelaySeconds = 10

        @Test(
            "A delivery that is delivered while courier-eta is down still ends on its screen",
            .timeLimit(.minutes(3)))
        func deliveredMeanwhile() async throws {
            let basket = Simulation.Basket(customer: "mette", endings: [.delivered])
            try await Simulation.run([basket]) { simulation in
                let run = try await simulation.placeRun(basket, number: 0)
                try await run.prepare()
                try await run.report(.pickedUp)
                for device in simulation.devices {
                    try await eventually("courier-eta has the baton", explain: { await simulation.screenLog }) {
                        await device.screen.cards(of: run.id.rawValue).first?.last?.content.phase == .onTheWay
                    }
                }

                await simulation.stack.kill9(.courierETA)
                try await run.handOver()
                let ended = try await simulation.ended(run.id, .delivered)
                try await simulation.expectEveryCardEnded([ended], within: 30)
                let endedAt = try #require(ended.delivery.endedAt).epochSeconds
                for device in simulation.devices {
                    let last = try #require(await device.screen.cards(of: run.id.rawValue).first?.last)
                    #expect(last.content.revision.step == 0, "orders wrote the end: \(last)")
                    #expect(last.timestamp >= endedAt + Self.fallbackDelaySeconds, "after the delay: \(last)")
                }

                // When it is back, it publishes the end too, with the same content.
                try await simulation.stack.start(.courierETA)
                try await simulation.expectNothingReappears()
            }
        }
    }
}
