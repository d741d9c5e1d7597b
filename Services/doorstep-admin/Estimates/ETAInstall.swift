import ArgumentParser
import ArrivalEstimate
import CommandOutput
import ModelTraining
import PostgresClient
import StackClient

/// Installs a model for the running services, which load it by themselves.
struct ETAInstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a model for courier-eta.",
        discussion: """
            Writes to the database that DATABASE_URL names, as the schemas' owner. Each courier-eta uses the newest model \
            that it can read, five minutes later at the latest.
            """)

    @Argument(help: "A model that `doorstep eta train` wrote.")
    var model: String

    func run() async throws {
        let arrivalModel = try ArrivalModel(file: model)
        let configuration = try await Stack().postgres()
        do {
            try await PostgresPool.with(configuration) { try await InstalledModels(pool: $0).insert(arrivalModel) }
        } catch {
            throw CommandFailure(.unavailable, "\(model) was not installed: \(error)")
        }
        writeLine("\(model): installed")
    }
}
