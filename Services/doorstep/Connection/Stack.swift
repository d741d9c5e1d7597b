import Configuration
import DomainTime
import Foundation
import NatsClient
import PostgresClient
import ServiceRuntime

/// What the environment of a stack, such as `.doorstep/stack.env`, says to whoever runs it.
///
/// The same names as the services read: `DATABASE_URL`, `NATS_URL`, `NATS_USER`, `NATS_PASSWORD_FILE`,
/// `CLOCK_ORIGIN`, `CLOCK_WALL_ORIGIN`, `CLOCK_RATE`, `ENVIRONMENT`.
struct Stack: Sendable {
    private let settings: ConfigReader

    init(environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
        settings = try await Self.told {
            try await readSettings(service: "doorstep", arguments: [], environment: environment)
        }
    }

    /// Domain time as every process of the stack has it; wall time where nothing else was said.
    func clock() throws -> DomainClock { try Self.told { try DomainClock(reading: settings) } }

    func nats() throws -> NatsConfiguration { try Self.told { try NatsConfiguration(reading: settings) } }

    func postgres() throws -> PostgresConfiguration {
        try Self.told { try PostgresConfiguration(reading: settings, schema: nil) }
    }

    /// A setting with a fault is the caller's to correct.
    private static func told<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as ConfigurationError {
            throw CommandFailure(.usage, error.words)
        }
    }

    private static func told<Value: Sendable>(_ read: () async throws -> Value) async throws -> Value {
        do {
            return try await read()
        } catch let error as ConfigurationError {
            throw CommandFailure(.usage, error.words)
        }
    }
}

extension ConfigurationError {
    /// The setting by its variable, which is the only way to set it here.
    fileprivate var words: String {
        let variable = key.replacing(".", with: "_").uppercased()
        return "\(variable) \(problem)"
    }
}
