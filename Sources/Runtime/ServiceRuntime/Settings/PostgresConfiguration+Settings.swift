package import Configuration
package import PostgresClient
internal import ProcessSettings

extension PostgresConfiguration {
    /// A process's connection to its database.
    ///
    /// | Key | Type | Unit | Default | Secret |
    /// |---|---|---|---|---|
    /// | `database.url` | `postgres://user@host:port/database`; may hold a password outside production | | required | then |
    /// | `database.password.file` | path | | none | its content |
    /// | `database.connections.max` | whole number | connections | 8 | no |
    /// | `database.waiters.max` | whole number; one more is refused | callers | 1,024 | no |
    /// | `database.statement.timeout.seconds` | number | s | 10 | no |
    /// | `database.acquire.timeout.seconds` | number | s | 5 | no |
    ///
    /// - Throws: ``ConfigurationError``.
    package init(reading settings: ConfigReader, schema: String?) throws {
        let key = "database.url"
        let url = try settings.requiredText(key, example: "postgres://orders@127.0.0.1:5432/doorstep")
        do {
            try self.init(url: url)
        } catch {
            throw ConfigurationError(key: key, problem: "is wrong (\(error.message))", fix: "correct \(waysToSet(key))")
        }
        if password != nil, try !settings.deploymentEnvironment().allowsSamples {
            throw ConfigurationError(
                key: key, problem: "holds a password",
                fix: "put it into a file and set \(waysToSet("database.password.file"))")
        }
        if let secret = try settings.secret("database.password.file") { password = secret }
        self.schema = schema ?? self.schema
        applicationName = try settings.text("service.name") ?? applicationName
        connectionsMax = try settings.integer("database.connections.max", in: 1...1_000, default: connectionsMax)
        waitersMax = try settings.integer("database.waiters.max", in: 0...100_000, default: waitersMax)
        statementTimeout = try settings.seconds(
            "database.statement.timeout.seconds", in: 0.1...3_600, default: .seconds(10))
        acquireTimeout = try settings.seconds(
            "database.acquire.timeout.seconds", in: 0.01...600, default: acquireTimeout)
        drainTimeout = try settings.drainTimeout()
    }
}
