package import Configuration
package import DomainTime
internal import Foundation
package import NatsClient
package import PostgresClient

/// What each of the three services starts with.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `environment` | `production`, `demo`, `test` | | `production` | no |
/// | `auth.keys.file` | path of a JSON list of public keys, see ``TokenKeys`` | | required | no |
/// | `clock.origin` | ISO 8601 time that domain time starts from | | wall time | no |
/// | `clock.wall.origin` | ISO 8601 time at which it does | | `clock.origin` | no |
/// | `clock.rate` | number above 0; 1 in production | domain seconds a second | 1 | no |
/// | `drain.timeout.seconds` | number | s | 20 | no |
///
/// The rest is documented at ``HTTPConfiguration`` and by the two extensions beside this type.
package struct StackSettings: Sendable {
    package let environment: DeploymentEnvironment
    package let clock: DomainClock
    package let postgres: PostgresConfiguration
    package let nats: NatsConfiguration
    package let http: HTTPConfiguration
    package let keys: TokenKeys
    package let drainTimeout: Duration

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
        keys = try await TokenKeys(reading: settings)
    }
}

extension TokenKeys {
    /// The keys of the file that `auth.keys.file` names; in production none whose id marks it as a sample.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(reading settings: ConfigReader) async throws {
        let key = "auth.keys.file"
        let path = try settings.requiredText(key, example: "/etc/doorstep/token-keys.json")
        try await self.init(file: path)
        for kid in kids { try settings.refuseSample(kid, key: key) }
    }
}

extension DomainClock {
    /// The clock that a stack shares, from `clock.origin`, `clock.wall.origin` and `clock.rate`.
    ///
    /// - Throws: ``ConfigurationError``, above all for a rate other than 1, or a time that is not the wall's, in production.
    package init(reading settings: ConfigReader) throws {
        let rate = try settings.positiveNumber("clock.rate", default: 1)
        if rate != 1, try !settings.deploymentEnvironment().allowsSamples {
            throw ConfigurationError(
                key: "clock.rate", problem: "is \(rate), and only 1 is allowed in production",
                fix: "remove it, or set \(waysToSet("environment")) to demo or test")
        }
        guard let origin = try settings.time("clock.origin") else {
            guard rate == 1 else {
                throw ConfigurationError(
                    key: "clock.origin", problem: "is not set, and a rate of \(rate) needs it",
                    fix: "set \(waysToSet("clock.origin")) to the same time in every process of the stack")
            }
            self = .wall
            return
        }
        let wallOrigin = try settings.time("clock.wall.origin") ?? origin
        if origin != wallOrigin, try !settings.deploymentEnvironment().allowsSamples {
            throw ConfigurationError(
                key: "clock.origin", problem: "is not the same time as clock.wall.origin, as production needs it",
                fix: "remove both, or set \(waysToSet("environment")) to demo or test")
        }
        self.init(origin: origin, wallOrigin: wallOrigin, rate: rate)
    }
}
