import Messages
import PostgresClient

/// Updates the board's projection of the other services' data: the newest estimate and card health of each delivery.
struct UpdateBoard: Sendable {
    let pool: PostgresPool

    func callAsFunction(_ estimate: EstimateChanged) async throws {
        try await pool.execute(try OrderRepository.project(estimate))
    }

    func callAsFunction(_ cardHealth: CardHealthChanged) async throws {
        try await pool.execute(OrderRepository.project(cardHealth))
    }
}
