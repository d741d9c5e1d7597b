import CommandOutput
import Logging
import NatsClient
import PostgresClient
import ProcessSettings
import ServiceRuntime
import StackClient

extension Stack {
    /// The broker, with the administrator's credentials.
    ///
    /// - Throws: `CommandFailure` of kind usage, naming the variable with a fault.
    func nats() throws -> NatsConfiguration {
        do {
            return try NatsConfiguration(reading: settings)
        } catch let error as ConfigurationError {
            throw CommandFailure(error)
        }
    }

    /// The database with one connection and without a schema of its own, as the schemas' owner.
    ///
    /// It has no statement time-out: commands read whole tables, and a person who runs one can interrupt it.
    /// - Throws: `CommandFailure` of kind usage, naming the variable with a fault.
    func postgres() throws -> PostgresConfiguration {
        do {
            var configuration = try PostgresConfiguration(reading: settings, schema: nil)
            configuration.connectionsMax = 1
            configuration.statementTimeout = nil
            return configuration
        } catch let error as ConfigurationError {
            throw CommandFailure(error)
        }
    }
}

extension Logger {
    /// A silent logger for the clients of a command, which prints failures itself.
    static var ofCommand: Logger {
        var logger = Logger(label: "doorstep")
        logger.logLevel = .critical
        return logger
    }
}

extension PostgresPool {
    /// Lends a pool that is shut down after `body`, whether it returns or throws.
    static func with<Value: Sendable>(
        _ configuration: PostgresConfiguration, _ body: (PostgresPool) async throws -> Value
    ) async throws -> Value {
        let pool = PostgresPool(configuration, logger: .ofCommand)
        do {
            let value = try await body(pool)
            await pool.shutDown()
            return value
        } catch {
            await pool.shutDown()
            throw error
        }
    }
}
