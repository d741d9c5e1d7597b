import ArrivalEstimate
import DomainTime
import Foundation
import Logging
import PostgresClient

extension ETATrain {
    /// Fits a model on what the services' own database keeps.
    ///
    /// - Throws: `CommandFailure`: `conflict` where there is too little to learn from, `unavailable` without a database.
    func fitOnHistory(of days: Int) async throws {
        let stack = try await Stack()
        let now = try stack.clock().now
        var configuration = try stack.postgres()
        configuration.connectionsMax = 1
        var logger = Logger(label: "doorstep")
        logger.logLevel = .critical
        let pool = PostgresPool(configuration, logger: logger)
        let history: TrainingHistory
        do {
            history = try await TrainingHistory(of: days, before: now, on: pool)
        } catch {
            await pool.shutDown()
            throw CommandFailure(.unavailable, "the history cannot be read: \(error)")
        }
        await pool.shutDown()
        if history.passedOver > 0 {
            CommandFailure.complain("\(history.passedOver) ways of the history cannot be read and were passed over")
        }
        guard history.ways.count >= atLeast else {
            throw CommandFailure(
                .conflict,
                "the last \(days) days hold \(history.ways.count) finished ways and \(atLeast) are needed; "
                    + "nothing was written, and the services keep the model that they have")
        }
        let fitted = try history.fit()
        try write(String(decoding: fitted.json(), as: UTF8.self), to: model)
        print(
            "\(model): fitted on \(fitted.rides) ways of \(history.couriers) couriers in the last \(days) days, "
                + "and \(history.stays.count) stays")
    }
}
