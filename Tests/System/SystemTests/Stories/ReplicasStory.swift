import OrderDomain
import Testing
import TownSupport

extension SystemTests {
    @Suite("Two replicas of each service")
    struct ReplicasStory {
        @Test("Requests and streams go to either, and one may die", .timeLimit(.minutes(4)))
        func sideBySide() async throws {
            try await Town.live(replicas: 2) { town in
                let ended = try await town.liveThrough {
                    // Each device moves to the other replica now and then, in the middle of its cards.
                    for (status, count) in [(StatusCode.picking, 4), (.pickedUp, 3), (.delivered, 1), (.delivered, 4)] {
                        try await eventually("\(count) are \(status)") { town.progress.count(status) >= count }
                        for watcher in town.watchers { await watcher.reconnect() }
                    }
                    for service in ServiceName.allCases {
                        await town.stack.kill9(Stack.Replica(service: service, number: 2))
                    }
                }
                try await town.everyCardEndsRight(ended)
                for watcher in town.watchers { #expect(await watcher.connections > 2) }
                try await town.nothingComesBack()
            }
        }
    }
}
