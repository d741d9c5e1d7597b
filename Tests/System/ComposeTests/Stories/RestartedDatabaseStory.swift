import OrderDomain
import Testing
import TownSupport

extension ComposeTests {
    @Suite("Postgres restarts")
    struct RestartedDatabaseStory {
        @Test("Postgres restarted twice under load", .timeLimit(.minutes(5)))
        func underLoad() async throws {
            try await story("Postgres restarted under load") { town in
                let ended = try await town.liveThrough {
                    for count in [2, 5] {
                        try await eventually("\(count) are picked up") { town.progress.count(.pickedUp) >= count }
                        try await town.stack.restart("postgres")
                    }
                }
                return ["restarted when two and when five were on the road"]
                    + (try await town.everythingHolds(ended))
            }
        }
    }
}
