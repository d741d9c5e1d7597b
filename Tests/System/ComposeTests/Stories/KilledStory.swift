import OrderDomain
import Testing
import TownSupport

extension ComposeTests {
    @Suite("A container is killed")
    struct KilledStory {
        @Test("Each container killed and started again in the middle of ten deliveries", .timeLimit(.minutes(6)))
        func eachInTurn() async throws {
            try await story("kill -9 and restart of each container") { town in
                let ended = try await town.liveThrough {
                    try await eventually("one is being picked") { town.progress.count(.picking) >= 1 }
                    for name in town.stack.all {
                        try await town.stack.kill9(name)
                        try await town.stack.start(name)
                    }
                }
                return ["killed while orders flowed: \(town.stack.all.joined(separator: ", "))"]
                    + (try await town.everythingHolds(ended, wholeDeliveriesMissed: true))
            }
        }
    }
}
