import OrderDomain
import Testing
import TownSupport

extension ComposeTests {
    @Suite("A service is replaced")
    struct ReplacedStory {
        @Test("Each service replaced by a new container while orders flow", .timeLimit(.minutes(6)))
        func eachInTurn() async throws {
            try await story("each service replaced by a new container") { town in
                let services = ServiceName.allCases.flatMap(town.stack.replicas(of:))
                let before = try await ids(of: services, in: town)
                let ended = try await town.liveThrough {
                    try await eventually("one is being picked") { town.progress.count(.picking) >= 1 }
                    for name in services { try await town.stack.replace(name) }
                }
                let after = try await ids(of: services, in: town)
                #expect(Set(before).isDisjoint(with: after), "each is another container")
                return ["replaced while orders flowed: \(services.joined(separator: ", "))"]
                    + (try await town.everythingHolds(ended))
            }
        }

        private func ids(of services: [String], in town: Town) async throws -> [String] {
            var ids: [String] = []
            for name in services { ids.append(try await town.stack.container(name)) }
            return ids
        }
    }
}
