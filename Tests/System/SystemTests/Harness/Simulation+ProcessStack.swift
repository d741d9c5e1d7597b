import SimulationSupport

typealias Simulation = SimulationSupport.Simulation<ProcessStack>

extension Simulation {
    /// Starts a stack and its devices, runs the scenario, and stops everything, also after an error.
    static func run(
        _ baskets: [Basket] = ten, rate: Double = 60, replicas: Int = 1, spacing: Double = 20,
        hasStandby: Bool = false, settings: [String: String] = [:],
        _ scenario: (Simulation) async throws -> Void
    ) async throws {
        try await run(
            in: try await ProcessStack.start(
                rate: rate, replicas: replicas, hasStandby: hasStandby, settings: settings), baskets,
            spacing: spacing, scenario)
    }
}
