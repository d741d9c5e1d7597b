import OrderDomain
import Testing
import TownSupport

extension ComposeTests {
    @Suite("A container is off the network")
    struct OffTheNetworkStory {
        /// Wall seconds that each is away.
        private static let absence = Duration.seconds(30)

        @Test(
            "Each container off the network for half a minute in the middle of ten deliveries", .timeLimit(.minutes(10))
        )
        func eachInTurn() async throws {
            // Slower, so that ten deliveries last as long as the outages.
            try await story("each container off the network", rate: 6) { town in
                let ended = try await town.liveThrough {
                    try await eventually("one is being picked") { town.progress.count(.picking) >= 1 }
                    for name in town.stack.all {
                        try await town.stack.disconnect(name)
                        try await Task.sleep(for: Self.absence)
                        try await town.stack.reconnect(name)
                    }
                }
                return ["off the network for \(Self.absence): \(town.stack.all.joined(separator: ", "))"]
                    + (try await town.everythingHolds(ended, wholeDeliveriesMissed: true))
            }
        }
    }
}
