import ArrivalEstimate
import BackgroundWork
import Logging
import PostgresClient
import ServiceLifecycle
import Synchronization

/// Loads the newest installed model that this program can read; the built-in one until there is one.
final class EstimateModelLoader: Service {
    /// Wall time between two loads.
    static let interval = Duration.seconds(300)
    /// Models that are tried, newest first.
    private static let modelsMax = 5

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

    /// Loads the newest model that is sound; an unsound one is skipped with a warning.
    ///
    /// - Returns: whether it is another than before.
    @discardableResult
    func load() async throws -> Bool {
        for row in try await EstimateModelRepository.newest(rowsMax: Self.modelsMax, on: pool) {
            let id = try EstimateModelRepository.id(row)
            if current.withLock({ $0.id == id }) { return false }
            do throws(ArrivalModelError) {
                let model = try EstimateModelRepository.model(row)
                current.withLock { $0 = Current(id: id, estimator: ArrivalEstimator(model: model)) }
                logger.info("A model was loaded", metadata: ["model": "\(id)", "rides": "\(model.rides)"])
                return true
            } catch {
                logger.warning("A model cannot be used", metadata: ["model": "\(id)", "reason": "\(error)"])
            }
        }
        return false
    }

    /// Polls until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("load of the newest model", every: Self.interval, logger: logger) {
            try await self.load()
        }.run()
    }
}
