import Messages
import PostgresClient

/// Keeps the board's projection of what the other services know: the newest estimate and card health of each delivery.
struct UpdateBoard: Sendable {
    let pool: PostgresPool

    func callAsFunction(_ estimate: EstimateChanged) async throws {
        try await pool.execute(try OrderRepository.project(estimate))
    }

    func callAsFunction(_ cardHealth: CardHealthChanged) async throws {
        try await pool.execute(OrderRepository.project(cardHealth))
    }
}
