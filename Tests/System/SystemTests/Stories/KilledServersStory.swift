import OrderDomain
import TestSupport
import Testing
import TownSupport

extension SystemTests {
    @Suite("A server is killed")
    struct KilledServersStory {
        @Test("The broker killed in the middle of ten deliveries loses nothing", .timeLimit(.minutes(4)))
        func broker() async throws {
            try await Town.live { town in
                let ended = try await town.liveThrough {
                    for count in [2, 6] {
                        try await eventually("\(count) are picked up") { town.progress.count(.pickedUp) >= count }
                        await town.stack.kill9Nats()
                        // Shops and couriers go on meanwhile: what they say waits in the databases.
                        try await eventually("\(count) have ended") { town.progress.count(.delivered) >= count - 1 }
                        try await town.stack.startNats()
                    }
                }
                try await town.everyCardEndsRight(ended, wholeDeliveriesMissed: true)
                try await town.nothingComesBack()
            }
        }

        @Test("The database killed in the middle of ten deliveries loses nothing", .timeLimit(.minutes(4)))
        func database() async throws {
            try await Town.live { town in
                let ended = try await town.liveThrough {
                    for count in [3, 6] {
                        try await eventually("\(count) are picked up") { town.progress.count(.pickedUp) >= count }
                        try await town.stack.postgres.kill9()
                        try await town.stack.postgres.restart()
                    }
                }
                try await town.everyCardEndsRight(ended)
                try await town.nothingComesBack()
            }
        }
    }
}
