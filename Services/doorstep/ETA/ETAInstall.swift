import ArgumentParser
import ArrivalEstimate
import Foundation
import Logging
import PostgresClient

/// Gives a model to the running services, which take it up by themselves.
struct ETAInstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Give a model to courier-eta.",
        discussion: """
            Writes to the database that DATABASE_URL names, as the schemas' owner. Each courier-eta uses the newest model \
            that it can read, five minutes later at the latest.
            """)

    @Argument(help: "A model that `doorstep eta train` wrote.")
    var model: String

    func run() async throws {
        let arrivalModel = try ArrivalModel(file: model)
        let document = PostgresJSON(text: String(decoding: try arrivalModel.json(), as: UTF8.self))
        var configuration = try await Stack().postgres()
        configuration.connectionsMax = 1
        var logger = Logger(label: "doorstep")
        logger.logLevel = .critical
        let pool = PostgresPool(configuration, logger: logger)
        do {
            try await pool.execute(
                """
                INSERT INTO courier_eta.estimate_models (format, rides, model)
                VALUES (\(ArrivalModel.format), \(arrivalModel.rides), \(document))
                """)
        } catch {
            await pool.shutDown()
            throw CommandFailure(.unavailable, "\(model) was not installed: \(error)")
        }
        await pool.shutDown()
        print("\(model): installed")
    }
}
