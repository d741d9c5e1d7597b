package import Configuration
package import DomainTime
package import NatsClient
package import PostgresClient
package import ProcessSettings
internal import ReliableMessaging

/// The settings that all services share.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `environment` | `production`, `demo`, `test` | | `production` | no |
/// | `auth.keys.file` | path of a JSON document of public keys and revoked tokens, see ``TokenKeys`` | | required | no |
/// | `clock.origin` | ISO 8601 start of domain time | | wall time | no |
/// | `clock.wall.origin` | ISO 8601 wall time of that start | | `clock.origin` | no |
/// | `clock.rate` | number above 0; 1 in production | domain seconds a second | 1 | no |
/// | `drain.timeout.seconds` | number | s | 20 | no |
/// | `resync.interval.seconds` | number, 10 to 600 | s | 600 | no |
/// | `retention.deadLettersDays` | whole number from 1 to 3,650 | days after they were settled | 30 | no |
///
/// The rest is documented at ``HTTPConfiguration`` and by the two extensions beside this type.
package struct StackSettings: Sendable {
    package let environment: DeploymentEnvironment
    package let clock: DomainClock
    package let postgres: PostgresConfiguration
    package let nats: NatsConfiguration
    package let http: HTTPConfiguration
    package let tokens: TokenVerifier
    package let drainTimeout: Duration
    /// Within which everything live is republished again.
    package let resyncInterval: Duration
    /// Days that a settled dead letter is kept.
    package let deadLettersDays: Int

    /// Reads every key and connects to nothing.
    ///
    /// - Parameter schema: the service's own schema in Postgres.
    /// - Throws: ``ConfigurationError`` for the first key with a fault.
    package init(reading settings: ConfigReader, schema: String) async throws {
        environment = try settings.deploymentEnvironment()
        clock = try DomainClock(reading: settings)
        postgres = try PostgresConfiguration(reading: settings, schema: schema)
        nats = try NatsConfiguration(reading: settings)
        http = try HTTPConfiguration(reading: settings)
        drainTimeout = try settings.drainTimeout()
        // Cards rely on a republish of their content before it goes stale.
        resyncInterval = try settings.seconds("resync.interval.seconds", in: 10...600, default: .seconds(600))
        deadLettersDays = try settings.days(
            "retention.deadLettersDays", from: 1, default: DeadLetterMaintenance.settledKeptDays)
        tokens = TokenVerifier(try await TokenKeys(reading: settings)) { try await TokenKeys(reading: settings) }
    }
}

extension TokenKeys {
    /// The keys of the file in `auth.keys.file`; in production none whose id marks it as a sample.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(reading settings: ConfigReader) async throws {
        let key = "auth.keys.file"
        let path = try settings.requiredText(key, example: "/etc/doorstep/token-keys.json")
        try await self.init(file: path)
        for kid in kids { try settings.refuseSample(kid, key: key) }
    }
}
