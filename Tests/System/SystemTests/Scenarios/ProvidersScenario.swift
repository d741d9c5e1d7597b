import SeededRandom
import Testing

extension SystemTests {
    @Suite("Providers bring the deliveries")
    struct ProvidersScenario {
        @Test(
            "What five providers post in any order and twice ends deliveries and cards, and reaches the shop once",
            .timeLimit(.minutes(4)))
        func outOfOrder() async throws {
            try await ProviderRun.run(seed: 1) { run in
                try await run.post()
                try await run.expectEverythingArrived()
            }
        }

        @Test(
            "Killed services and a lost broker lose nothing that providers post, and no event for the shop",
            .timeLimit(.minutes(4)))
        func faults() async throws {
            var generator = SeededGenerator(seed: 2)
            let kills: [ProviderRun.Fault] = [
                .killPartners, .killPartners, .killOrders, .killOrders, .killBroker, .killBroker,
            ]
            let faults: [ProviderRun.Fault] = [.loseBrokerStore] + kills.shuffled(using: &generator)
            try await ProviderRun.run(seed: 2) { run in
                try await run.post(during: faults)
                try await run.expectEverythingArrived()
            }
        }
    }
}
