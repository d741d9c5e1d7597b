import OrderDomain
import Testing
import TownSupport

extension SystemTests {
    @Suite("A service is killed")
    struct KilledServicesStory {
        /// When each is killed: while some deliveries are in the store, some on the road, and some at the door.
        private static let plan: [(when: StatusCode, count: Int, service: ServiceName)] = [
            (.picking, 3, .orders), (.pickedUp, 2, .courierETA), (.pickedUp, 6, .dispatch), (.delivered, 2, .orders),
            (.delivered, 4, .courierETA), (.delivered, 6, .dispatch),
        ]

        @Test("Each service killed in the middle of ten deliveries loses nothing", .timeLimit(.minutes(4)))
        func eachInTurn() async throws {
            try await Town.live { town in
                let ended = try await town.liveThrough {
                    for (status, count, service) in Self.plan {
                        try await eventually("\(count) are \(status)") { town.progress.count(status) >= count }
                        await town.stack.kill9(service)
                        try await town.stack.start(service)
                    }
                }
                try await town.everyCardEndsRight(ended)
                try await town.nothingComesBack()
            }
        }
    }
}
