import Messages
import PostgresClient

/// Updates the board's projection of the other services' data: the newest estimate and card health of each delivery.
struct UpdateBoard: Sendable {
    let pool: PostgresPool

    func callAsFunction(_ estimates: [EstimateChanged]) async throws {
        let newest = Dictionary(estimates.map { ($0.delivery, $0) }) { one, other in
            (one.version, one.step) < (other.version, other.step) ? other : one
        }
        try await pool.execute(try OrderRepository.project(Array(newest.values)))
    }

    func callAsFunction(_ cardHealth: [CardHealthChanged]) async throws {
        let newest = Dictionary(cardHealth.map { ($0.delivery, $0) }) { $0.sequence < $1.sequence ? $1 : $0 }
        try await pool.execute(OrderRepository.project(Array(newest.values)))
    }
}
