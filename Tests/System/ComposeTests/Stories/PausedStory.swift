import OrderDomain
import Testing
import TownSupport

extension ComposeTests {
    @Suite("A container stands still")
    struct PausedStory {
        /// Wall seconds that each stands still: longer than a lookup of its health may take.
        private static let pause = Duration.seconds(8)

        @Test("Each container paused in the middle of ten deliveries", .timeLimit(.minutes(8)))
        func eachInTurn() async throws {
            try await story("pause of each container") { town in
                let ended = try await town.liveThrough {
                    try await eventually("one is being picked") { town.progress.count(.picking) >= 1 }
                    for name in town.stack.all {
                        try await town.stack.pause(name)
                        try await Task.sleep(for: Self.pause)
                        try await town.stack.unpause(name)
                    }
                }
                return ["paused for \(Self.pause) while orders flowed: \(town.stack.all.joined(separator: ", "))"]
                    + (try await town.everythingHolds(ended, wholeDeliveriesMissed: true))
            }
        }
    }
}
