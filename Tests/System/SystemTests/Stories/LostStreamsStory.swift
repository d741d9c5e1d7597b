import DoorstepAPI
import LiveActivity
import OrderDomain
import Testing
import TownSupport

extension SystemTests {
    @Suite("JetStream's store is deleted")
    struct LostStreamsStory {
        /// Wall seconds in which every screen is right again (DESIGN, must hold 1).
        private static let healedSeconds = 60.0

        @Test("What the broker had and nobody had read yet comes back from the databases", .timeLimit(.minutes(4)))
        func rebuilt() async throws {
            try await Town.live { town in
                let ended = try await town.liveThrough {
                    try await eventually("each has a card", explain: { await town.story }) {
                        var shown: Set<String> = []
                        for watcher in town.watchers {
                            shown.formUnion(await watcher.screen.cards.values.compactMap(\.delivery))
                        }
                        return shown.count == 10
                    }
                    // Nobody reads, so that the broker has words that it acknowledged and that are nowhere else.
                    await town.stack.kill9(.dispatch)
                    await town.stack.kill9(.courierETA)
                    try await eventually("some have ended") { town.progress.count(.delivered) >= 3 }
                    await town.stack.kill9Nats()
                    try await town.stack.deleteBrokersStore()
                    try await town.stack.startNats()
                    try await town.stack.start(.courierETA)
                    try await town.stack.start(.dispatch)
                    try await town.stack.admin(["rebuild-streams", "--yes"])
                }
                try await town.everyCardEndsRight(ended, within: Self.healedSeconds)
                try await town.nothingComesBack()
            }
        }

        @Test("Screens that stand still are right within a minute of the rebuilding", .timeLimit(.minutes(4)))
        func standingStill() async throws {
            let basket = Town.Basket(customer: "mette", endings: [.delivered])
            try await Town.live([basket]) { town in
                var runs: [Run] = []
                for number in 0..<3 {
                    let order = try await town.place(basket, number: number, routes: [.ours(number)])
                    let delivery = try #require(order.deliveries.first)
                    let run = town.run(delivery, courier: "mira", route: .ours(number), ending: .delivered)
                    try await run.prepare()
                    runs.append(run)
                }
                await town.stack.kill9(.dispatch)
                // One goes on, one is called off, and one is over before anybody reads again.
                try await runs[0].press(.pickedUp)
                try await runs[1].press(.cancelled)
                try await runs[2].press(.pickedUp)
                try await runs[2].press(.delivered)
                await town.stack.kill9Nats()
                try await town.stack.deleteBrokersStore()
                try await town.stack.startNats()
                try await town.stack.start(.dispatch)
                try await town.stack.admin(["rebuild-streams", "--yes"])

                let deadline = ContinuousClock.now + .seconds(Self.healedSeconds)
                for (run, phase) in zip(runs, [LiveActivity.Phase.onTheWay, .ended, .ended]) {
                    for watcher in town.watchers {
                        let left = (deadline - ContinuousClock.now) / .seconds(1)
                        try await eventually(
                            "\(watcher.device) shows \(phase.rawValue)", within: left, explain: { await town.story }
                        ) {
                            await watcher.screen.cards(of: run.id.rawValue).first?.last?.content.phase == phase
                        }
                    }
                }
                await town.nothingWentWrong()
            }
        }
    }
}
