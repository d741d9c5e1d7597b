import OrderDomain
import Testing
import TownSupport

extension ComposeTests {
    @Suite("The broker's volume is lost")
    struct LostBrokerStory {
        @Test("The broker's store deleted and built again in the middle of ten deliveries", .timeLimit(.minutes(5)))
        func rebuilt() async throws {
            try await story("the NATS volume deleted and rebuilt") { town in
                let ended = try await town.liveThrough {
                    try await eventually("each has a card", explain: { await town.story }) {
                        var shown: Set<String> = []
                        for watcher in town.watchers {
                            shown.formUnion(await watcher.screen.cards.values.compactMap(\.delivery))
                        }
                        return shown.count == 10
                    }
                    // Nobody reads, so that the broker has words that it acknowledged and that are nowhere else.
                    for name in town.stack.replicas(of: .dispatch) { try await town.stack.kill9(name) }
                    let delivered = town.progress.count(.delivered)
                    try await eventually("another is delivered") { town.progress.count(.delivered) > delivered }
                    try await town.stack.loseBrokersStores()
                    for name in town.stack.replicas(of: .dispatch) { try await town.stack.start(name) }
                    try await town.stack.everythingIsReady()
                    try await town.stack.rebuildStreams()
                }
                return [
                    "deleted while words were in it that nobody had read; rebuilt with doorstep admin rebuild-streams"
                ]
                    + (try await town.everythingHolds(ended, wholeDeliveriesMissed: true))
            }
        }
    }
}
