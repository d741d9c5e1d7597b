import DoorstepAPI
import OrderDomain
import PhoneRules
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("An ordinary evening")
    struct OrdinaryScenario {
        @Test(
            "Ten deliveries become cards that end as the deliveries do and leave when they should",
            .timeLimit(.minutes(4)))
        func tenDeliveries() async throws {
            try await Simulation.run { simulation in
                let ended = try await simulation.runDeliveries()
                try await simulation.expectEveryCardEnded(ended)
                let mette = try #require(simulation.devices(of: "mette").first)
                #expect(await mette.screen.summaries.count == 1, "three at once have a summary above them")

                try await Self.delivered(ended, areDismissedIn: simulation)
                try await simulation.expectNothingReappears()
                try await Self.expectMetricsFollowConventions(simulation)
            }
        }

        /// After an evening most metrics have been counted.
        private static func expectMetricsFollowConventions(_ simulation: Simulation) async throws {
            for service in ServiceName.messaging {
                let metrics = try await MetricsExposition(of: service, on: simulation.stack)
                #expect(metrics.types.count > 10)
                #expect(metrics.faults.isEmpty, "\(service)")
                let complaints = try await metrics.promtool()
                #expect(complaints == nil || complaints == "", "\(service)")
            }
        }

        /// Waits for the 15 minutes after which a delivered card is dismissed.
        private static func delivered(_ ended: [Simulation.Ended], areDismissedIn simulation: Simulation) async throws {
            for one in ended where one.ending == .delivered {
                for device in simulation.devices(of: try #require(one.delivery.customer).rawValue) {
                    try await eventually("the card leaves \(device.id)", explain: { await simulation.screenLog }) {
                        let screen = await device.screen
                        guard let card = screen.cards(of: one.delivery.id.rawValue).first else { return false }
                        return screen.phone[card: card.card]?.state == .dismissed
                    }
                }
                try await eventually("activity-dispatch knows that the cards have left") {
                    let activity: ActivityBody = try await simulation.stack.asOperator.get(
                        .dispatch, "/v1/activities/\(one.delivery.activity)")
                    return activity.cards.allSatisfy { $0.state == "dismissed" && !$0.isBehind }
                }
            }
        }
    }
}
