import TownSupport

typealias Town = TownSupport.Town<Stack>

extension Town {
    /// Starts a stack with devices that watch, tells the story, and stops everything, whatever happens.
    static func live(
        _ baskets: [Basket] = ten, rate: Double = 60, replicas: Int = 1, spacing: Double = 20,
        _ story: (Town) async throws -> Void
    ) async throws {
        try await live(
            in: try await Stack.start(rate: rate, replicas: replicas), baskets, spacing: spacing, story)
    }
}
