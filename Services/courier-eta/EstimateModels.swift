import ArrivalEstimate
import BackgroundWork
import Foundation
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// The newest model in the database that this program can read; the built-in constants until there is one.
final class EstimateModels: Service {
    /// Wall time between two loads.
    static let loadInterval = Duration.seconds(300)

    private let pool: PostgresPool
    private let logger: Logger
    private let current = Mutex<Current>(Current())

    private struct Current {
        var id: Int64?
        var estimator = ArrivalEstimator()
    }

    init(pool: PostgresPool, logger: Logger) {
        self.pool = pool
        self.logger = logger
    }

    var estimator: ArrivalEstimator { current.withLock { $0.estimator } }

    /// Takes the newest model that is sound; an unsound one is passed over, and said.
    ///
    /// - Returns: whether it is another than before.
    @discardableResult
    func load() async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT estimate_model_id, model FROM estimate_models
            WHERE format = \(ArrivalModel.format) ORDER BY estimate_model_id DESC LIMIT 5
            """)
        for row in rows {
            let id = try row.decode("estimate_model_id", as: Int64.self)
            if current.withLock({ $0.id == id }) { return false }
            do throws(ArrivalModelError) {
                let model = try ArrivalModel(json: Data(try text(of: row).utf8))
                current.withLock { $0 = Current(id: id, estimator: ArrivalEstimator(model: model)) }
                logger.info("A model was loaded", metadata: ["model": "\(id)", "rides": "\(model.rides)"])
                return true
            } catch {
                logger.warning("A model cannot be used", metadata: ["model": "\(id)", "reason": "\(error)"])
            }
        }
        return false
    }

    private func text(of row: PostgresRow) throws(ArrivalModelError) -> String {
        do {
            return try row.decode("model", as: String.self)
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// Looks until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("load of the newest model", every: Self.loadInterval, logger: logger) {
            try await self.load()
        }.run()
    }
}
