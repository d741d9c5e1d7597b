package import Configuration
internal import DoorstepAPI
internal import FlowControl
internal import Logging
package import PostgresClient
internal import ProcessSettings
package import ServiceLifecycle
internal import Synchronization

/// One service's process, from its first flag to its exit code.
///
/// `orders` serves; `orders migrate` migrates the service's schema as the role in `database.url`, which owns the
/// schema, and ends; `orders --version` prints the version and ends.
package struct ServiceProcess: Sendable {
    package let name: String
    package let schema: String
    package let migrations: [Migration]
    /// Settings of this service by key, such as its port.
    package let defaults: [String: String]

    package init(name: String, schema: String, migrations: [Migration], defaults: [String: String]) {
        self.name = name
        self.schema = schema
        self.migrations = migrations
        self.defaults = defaults
    }

    /// Runs until SIGTERM or SIGINT, and exits with 2 for a setting that must be corrected, 1 for anything else.
    ///
    /// - Parameter makeServices: builds everything and starts nothing, so that tests can build it too.
    package func run(
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        makeServices: @escaping @Sendable (ConfigReader, Telemetry) async throws -> [any Service]
    ) async {
        if let line = versionLine(arguments) { return print(line) }
        await runToExit(service: name) {
            let isMigration = arguments.first == "migrate"
            let settings = try await readSettings(
                service: name, arguments: isMigration ? Array(arguments.dropFirst()) : arguments, defaults: defaults)
            let telemetry = try bootstrapTelemetry(service: name, reading: settings)
            if isMigration {
                try await migrate(reading: settings, logger: telemetry.logger)
            } else {
                let services = try await makeServices(settings, telemetry)
                telemetry.logger.notice("Starting", metadata: ["version": "\(Version.current)"])
                try await runService(services, drainTimeout: try settings.drainTimeout(), logger: telemetry.logger)
            }
        }
    }

    /// The version line to print instead of running; nil unless `--version` is the first argument.
    func versionLine(_ arguments: [String]) -> String? {
        arguments.first == "--version" ? "\(name) \(Version.current)" : nil
    }

    private func migrate(reading settings: ConfigReader, logger: Logger) async throws {
        var configuration = try PostgresConfiguration(reading: settings, schema: schema)
        // A commit may wait for a standby behind all that an index wrote.
        configuration.statementTimeout = nil
        let pool = PostgresPool(configuration, logger: logger)
        do {
            let applied = try await PostgresClient.migrate(migrations, schema: schema, on: pool)
            logger.notice(
                "the schema is up to date",
                metadata: ["schema": "\(schema)", "applied": "\(applied.map(\.name).joined(separator: ", "))"])
        } catch {
            await pool.shutDown()
            throw error
        }
        await pool.shutDown()
    }

    /// Checks that the schema has the migrations of this code.
    ///
    /// A schema that had them has them while every connection is busy: refusing traffic would not help.
    package func schemaCheck(on pool: PostgresPool) -> ReadinessCheck {
        let wasGood = Atomic(false)
        return ReadinessCheck(name: "schema") {
            let pending: [Migration]?
            do {
                pending = try await withTimeLimit(.seconds(1)) {
                    try await pendingMigrations(migrations, schema: schema, on: pool)
                }
            } catch let error as PostgresError where error.code == .poolExhausted {
                pending = nil
            }
            guard let pending else {
                guard pool.isReady, wasGood.load(ordering: .relaxed) else { throw SchemaUnknown() }
                return
            }
            wasGood.store(pending.isEmpty, ordering: .relaxed)
            guard pending.isEmpty else { throw SchemaBehind(service: name, missing: pending.map(\.name)) }
        }
    }
}

/// The database did not answer in time which migrations it has.
private struct SchemaUnknown: Error, CustomStringConvertible {
    let description = "the database did not answer within 1 second which migrations it has"
}

/// The database's schema is older than the code.
package struct SchemaBehind: Error, CustomStringConvertible {
    let service: String
    let missing: [String]

    package var description: String {
        "migrations are missing (\(missing.joined(separator: ", "))); run: doorstep admin migrate"
    }
}
