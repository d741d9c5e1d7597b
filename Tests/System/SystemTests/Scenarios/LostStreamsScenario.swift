import DoorstepAPI
import LiveActivity
import OrderDomain
import ScriptedPeers
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("JetStream's store is deleted")
    struct LostStreamsScenario {
        /// Wall seconds within which every screen is right again (DESIGN, must hold 1).
        private static let resyncSecondsMax = 60.0

        @Test(
            "Messages that the broker held and no consumer had read come back from the databases",
            .timeLimit(.minutes(4)))
        func rebuilt() async throws {
            try await Simulation.run { simulation in
                let ended = try await simulation.runDeliveries {
                    try await simulation.waitForCards()
                    // No consumer reads, so that the broker holds acknowledged messages that are in no outbox any more.
                    await simulation.stack.kill9(.dispatch)
                    await simulation.stack.kill9(.courierETA)
                    try await eventually("some have ended") { simulation.progress.count(.delivered) >= 3 }
                    try await simulation.stack.loseBrokerStore()
                    try await simulation.stack.start(.courierETA)
                    try await simulation.stack.start(.dispatch)
                    try await simulation.stack.admin(["rebuild-streams", "--yes"])
                }
                try await simulation.expectEveryCardEnded(ended, within: Self.resyncSecondsMax)
                try await simulation.expectNothingReappears()
                // What an operator has set once stays set.
                _ = try await simulation.stack.admin(["streams", "--gigabytes", "0.6"])
                for command in [["rebuild-streams", "--yes"], ["streams"]] {
                    let text = try await simulation.stack.admin(command)
                    for bound in ["kept 24 h and 0.6 GB at most", "0.12 GB at most"] {
                        #expect(text.contains(bound), "\(text)")
                    }
                }
            }
        }

        @Test("Screens that were frozen are right within a minute of the rebuild", .timeLimit(.minutes(4)))
        func frozenScreens() async throws {
            let basket = Simulation.Basket(customer: "mette", endings: [.delivered])
            try await Simulation.run([basket]) { simulation in
                var runs: [DeliveryRun] = []
                for number in 0..<3 {
                    let run = try await simulation.placeRun(basket, number: number)
                    try await run.prepare()
                    runs.append(run)
                }
                // What begins and ends while nobody reads has no card at all.
                for (run, device) in runs.flatMap({ run in simulation.devices.map { (run, $0) } }) {
                    try await eventually("\(device.id) has a card of each", explain: { await simulation.screenLog }) {
                        await !device.screen.cards(of: run.id.rawValue).isEmpty
                    }
                }
                await simulation.stack.kill9(.dispatch)
                // One continues, one is cancelled, and one has ended before any consumer reads again.
                try await runs[0].report(.pickedUp)
                try await runs[1].report(.cancelled)
                try await runs[2].report(.pickedUp)
                try await runs[2].report(.delivered)
                try await simulation.stack.loseBrokerStore()
                try await simulation.stack.start(.dispatch)
                try await simulation.stack.admin(["rebuild-streams", "--yes"])

                let deadline = ContinuousClock.now + .seconds(Self.resyncSecondsMax)
                for (run, phase) in zip(runs, [LiveActivity.Phase.onTheWay, .ended, .ended]) {
                    for device in simulation.devices {
                        let left = (deadline - ContinuousClock.now) / .seconds(1)
                        try await eventually(
                            "\(device.id) shows \(phase.rawValue)", within: left,
                            explain: { await simulation.screenLog }
                        ) {
                            await device.screen.cards(of: run.id.rawValue).first?.last?.content.phase == phase
                        }
                    }
                }
                await simulation.expectNoViolations()
            }
        }

        @Test("A shop is told of every status, though what partners had not read is gone", .timeLimit(.minutes(4)))
        func eventsInBetween() async throws {
            let receiver = WebhookReceiver(seed: 3)
            let server = try await ScriptedHTTPServer.start { receiver.receive($0) }
            let url = server.origin.replacing("localhost", with: "127.0.0.1") + "/events"
            let basket = Simulation.Basket(customer: "mette", endings: [.delivered])
            try await Simulation.run([basket]) { simulation in
                let stack = simulation.stack
                let endpoint = try await WebhookEndpoint.add(
                    url, of: try #require(StoreID(rawValue: "nordhavn")), on: stack)
                try receiver.trust(endpoint.secret)
                let run = try await simulation.placeRun(basket, number: 0)
                try await eventually("placed is told") { !receiver.accepted.isEmpty }
                await stack.kill9(.partners)
                try await run.prepare()
                try await stack.loseBrokerStore()
                try await stack.admin(["streams"])
                try await stack.start(.partners)
                let statuses: [StatusCode] = [.placed, .accepted, .picking, .assigned, .staged]
                try await eventually(
                    "every status is told", within: 120, explain: { "\(receiver.accepted.keys.sorted())" }
                ) { Set(try receiver.events().compactMap(\.type.status)) == Set(statuses) }
                // Newest first, in the order in which they were queued.
                let log = try await endpoint.log().reversed()
                #expect(log.map(\.type.status) == statuses && receiver.faults.isEmpty, "\(receiver.faults)")
            }
            try await server.stop()
        }
    }
}
