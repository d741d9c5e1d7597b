package import CommandOutput
package import Configuration
package import DomainTime
internal import Foundation
package import ProcessSettings

/// A stack's environment variables, such as those of `.doorstep/stack.env`.
///
/// The names are those that services read: `CLOCK_ORIGIN`, `CLOCK_WALL_ORIGIN`, `CLOCK_RATE`, `ENVIRONMENT`;
/// administrators also set `DATABASE_URL`, `NATS_URL`, `NATS_USER` and `NATS_PASSWORD_FILE`.
package struct Stack: Sendable {
    package let settings: ConfigReader

    /// - Throws: `CommandFailure` for an invalid setting.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
        do {
            settings = try await readSettings(service: "doorstep", arguments: [], environment: environment)
        } catch let error as ConfigurationError {
            throw CommandFailure(error)
        }
    }

    /// Domain time, the same in every process of the stack; wall time where the environment sets no clock.
    ///
    /// - Throws: `CommandFailure` of kind usage, naming the variable with a fault.
    package func clock() throws -> DomainClock {
        do {
            return try DomainClock(reading: settings)
        } catch let error as ConfigurationError {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    /// A setting with a fault is the caller's to correct; here it can be set by its variable only.
    package init(_ error: ConfigurationError) {
        let variable = error.key.replacing(".", with: "_").uppercased()
        self.init(.usage, "\(variable) \(error.problem)")
    }
}
