package import CommandOutput
package import Configuration
package import DomainTime
internal import Foundation
package import ProcessSettings

/// What the environment of a stack, such as `.doorstep/stack.env`, tells a command.
///
/// The same names as the services read: `CLOCK_ORIGIN`, `CLOCK_WALL_ORIGIN`, `CLOCK_RATE`, `ENVIRONMENT`; for those who
/// administer it, `DATABASE_URL`, `NATS_URL`, `NATS_USER` and `NATS_PASSWORD_FILE` too.
package struct Stack: Sendable {
    package let settings: ConfigReader

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
        do {
            settings = try await readSettings(service: "doorstep", arguments: [], environment: environment)
        } catch let error as ConfigurationError {
            throw CommandFailure(error)
        }
    }

    /// Domain time as every process of the stack has it; wall time where the environment sets no clock.
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
