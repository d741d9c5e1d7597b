import Configuration
import DomainTime
import Foundation
import NatsClient
import PostgresClient
import ProcessSettings
import Testing

@testable import ServiceRuntime

@Suite("Settings")
struct SettingsTests {
    @Test("A flag wins over the environment, that over the file, and that over the defaults")
    func precedence() async throws {
        let file = try temporaryFile(
            #"{"http": {"host": "file", "port": 3, "bodyBytesMax": 4096, "callerBurst": 7}, "log": {"level": "debug"}}"#
        )
        defer { try? FileManager.default.removeItem(at: file) }
        let settings = try await readSettings(
            service: "orders", arguments: ["--http-port", "1", "--config-file", file.path],
            environment: ["HTTP_PORT": "2", "http_host": "variable"],
            defaults: ["http.port": "4", "http.callerBurst": "8", "http.connectionsMax": "9"])
        let http = try HTTPConfiguration(reading: settings)
        #expect(http.port == 1)
        #expect(http.host == "variable")
        #expect(http.bodyBytesMax == 4096)
        #expect(http.callerBurst == 7)
        #expect(http.connectionsMax == 9)
        #expect(try settings.text("service.name") == "orders")
    }

    @Test(
        "A value that cannot be understood stops the process, naming key, value and fix",
        arguments: [
            (["HTTP_PORT": "eighty"], "http.port", "eighty"), (["HTTP_PORT": "70000"], "http.port", "70000"),
            (["HTTP_CALLER_REQUESTS_PER_SECOND": "-1"], "http.callerRequestsPerSecond", "-1"),
            (["DRAIN_TIMEOUT_SECONDS": "soon"], "drain.timeout.seconds", "soon"),
            (["HTTP_TRUSTED_PROXIES": "10.0.0.0/8,ingress"], "http.trustedProxies", "10.0.0.0/8,ingress"),
        ])
    func malformed(environment: [String: String], key: String, value: String) async throws {
        let settings = try await readSettings(service: "orders", arguments: [], environment: environment)
        let error = try #require(throws: ConfigurationError.self) { try HTTPConfiguration(reading: settings) }
        #expect(error.key == key)
        #expect(error.description.contains("\"\(value)\""))
        #expect(error.description.contains(environment.keys.first ?? "-"))
        #expect(!error.description.contains("\n"))
    }

    @Test("A wrong value in the file is not mistaken for one that is missing")
    func malformedFile() async throws {
        let file = try temporaryFile(#"{"http": {"port": "eighty"}}"#)
        defer { try? FileManager.default.removeItem(at: file) }
        let settings = try await readSettings(
            service: "orders", arguments: [], environment: ["CONFIG_FILE": file.path], defaults: ["http.port": "8081"])
        #expect(throws: ConfigurationError.self) { try HTTPConfiguration(reading: settings) }
    }

    @Test("A file that is missing or no JSON, and an argument that is no flag, stop the process")
    func unreadable() async throws {
        let file = try temporaryFile("http.port = 1")
        defer { try? FileManager.default.removeItem(at: file) }
        for arguments in [["--config-file", "/nowhere/at-all.json"], ["--config-file", file.path], ["serve"]] {
            await #expect(throws: ConfigurationError.self) {
                try await readSettings(service: "orders", arguments: arguments, environment: [:])
            }
        }
    }

    @Test("Production refuses a clock rate other than 1; demo and tests take it")
    func clockRate() async throws {
        let clock = ["CLOCK_RATE": "60", "CLOCK_ORIGIN": "2026-11-21T18:00:00Z"]
        let error = try await #require(throws: ConfigurationError.self) {
            _ = try DomainClock(reading: await read(clock))
        }
        #expect(error.key == "clock.rate")
        #expect(error.description.contains("production"))
        for environment in ["demo", "test"] {
            let settings = try await read(clock.merging(["ENVIRONMENT": environment]) { $1 })
            #expect(try DomainClock(reading: settings).rate == 60)
        }
        #expect(try DomainClock(reading: try await read(["CLOCK_RATE": "1"])).rate == 1)
    }

    @Test("Production refuses a time of its own; demo and tests take it")
    func clockShift() async throws {
        let clock = ["CLOCK_ORIGIN": "2026-11-21T18:00:00Z", "CLOCK_WALL_ORIGIN": "2026-11-21T06:00:00Z"]
        let error = try await #require(throws: ConfigurationError.self) {
            _ = try DomainClock(reading: await read(clock))
        }
        #expect(error.key == "clock.origin")
        let demo = try await read(clock.merging(["ENVIRONMENT": "demo"]) { $1 })
        #expect(throws: Never.self) { try DomainClock(reading: demo) }
        let same = try await read(clock.merging(["CLOCK_WALL_ORIGIN": "2026-11-21T18:00:00Z"]) { $1 })
        #expect(throws: Never.self) { try DomainClock(reading: same) }
    }

    @Test("A rate without an origin is refused, since processes would not agree on the time")
    func clockOrigin() async throws {
        let settings = try await read(["CLOCK_RATE": "60", "ENVIRONMENT": "demo"])
        #expect(throws: ConfigurationError.self) { try DomainClock(reading: settings) }
    }

    @Test(
        "Production refuses a sample secret without showing it",
        arguments: ["letmein", "Sample-0123", "please-changeme"])
    func sampleSecret(secret: String) async throws {
        let file = try temporaryFile(secret + "\n")
        defer { try? FileManager.default.removeItem(at: file) }
        let variables = ["DATABASE_URL": "postgres://orders@db/doorstep", "DATABASE_PASSWORD_FILE": file.path]
        let error = try await #require(throws: ConfigurationError.self) {
            _ = try PostgresConfiguration(reading: await read(variables), schema: "orders")
        }
        #expect(error.key == "database.password.file")
        #expect(!error.description.contains(secret))
        let demo = try await read(variables.merging(["ENVIRONMENT": "demo"]) { $1 })
        #expect(try PostgresConfiguration(reading: demo, schema: "orders").password == secret)
    }

    @Test("Production refuses passwords in URLs, and names where they belong")
    func passwordsInURLs() async throws {
        let variables = [
            "DATABASE_URL": "postgres://orders:k9Jw2@db/doorstep", "NATS_URL": "nats://orders:k9Jw2@broker",
        ]
        let settings = try await read(variables)
        let database = try #require(throws: ConfigurationError.self) {
            try PostgresConfiguration(reading: settings, schema: nil)
        }
        let nats = try #require(throws: ConfigurationError.self) { try NatsConfiguration(reading: settings) }
        #expect(database.description.contains("DATABASE_PASSWORD_FILE"))
        #expect(nats.description.contains("NATS_PASSWORD_FILE"))
        #expect(!"\(database)\(nats)".contains("k9Jw2"))
    }

    @Test("A secret's file must exist and hold something")
    func secretFiles() async throws {
        let empty = try temporaryFile("\n")
        defer { try? FileManager.default.removeItem(at: empty) }
        for path in ["/nowhere/at-all", empty.path] {
            let settings = try await read(["NATS_PASSWORD_FILE": path])
            #expect(throws: ConfigurationError.self) { try settings.secret("nats.password.file") }
        }
        let settings = try await read([:])
        #expect(try settings.secret("nats.password.file") == nil)
        #expect(throws: ConfigurationError.self) { try settings.requiredSecret("nats.password.file") }
    }

    @Test("A whole stack's settings are read, each service under its own inbox and schema")
    func stack() async throws {
        let keys = try temporaryFile(
            String(
                decoding: JSONEncoder().encode([TokenKeyPair.generate(kid: "k1").entry(roles: [.store])]), as: UTF8.self
            ))
        let password = try temporaryFile("q7Zt-41\n")
        defer { for file in [keys, password] { try? FileManager.default.removeItem(at: file) } }
        let settings = try await read([
            "DATABASE_URL": "postgres://orders@db:5433/doorstep", "DATABASE_PASSWORD_FILE": password.path,
            "NATS_URL": "nats://one:4222,nats://two:4222", "NATS_USER": "orders", "NATS_PASSWORD_FILE": password.path,
            "AUTH_KEYS_FILE": keys.path, "DRAIN_TIMEOUT_SECONDS": "2.5",
        ])
        let stack = try await StackSettings(reading: settings, schema: "orders")
        #expect(stack.environment == .production)
        #expect(stack.postgres.password == "q7Zt-41")
        #expect(stack.postgres.schema == "orders")
        #expect(stack.postgres.port == 5433)
        #expect(stack.nats.servers == ["nats://one:4222", "nats://two:4222"])
        #expect(stack.nats.inboxPrefix == "_INBOX_orders")
        #expect(stack.tokens.keys.kids == ["k1"])
        #expect(stack.drainTimeout == .seconds(2.5))
    }

    @Test("Production refuses a key whose id marks it as a sample")
    func sampleKey() async throws {
        let pair = TokenKeyPair.generate(kid: "sample-store")
        let keys = try temporaryFile(
            String(decoding: JSONEncoder().encode([pair.entry(roles: [.store])]), as: UTF8.self))
        defer { try? FileManager.default.removeItem(at: keys) }
        await #expect(throws: ConfigurationError.self) {
            try await TokenKeys(reading: try await read(["AUTH_KEYS_FILE": keys.path]))
        }
        let demo = try await read(["AUTH_KEYS_FILE": keys.path, "ENVIRONMENT": "demo"])
        #expect(try await TokenKeys(reading: demo).kids == ["sample-store"])
    }

    @Test("A setting's fault ends a process with 2 and one line, any other failure with 1")
    func exitCodes() {
        let setting = ProcessFailure(
            ConfigurationError(key: "http.port", problem: "is \"a\nb\"", fix: "correct it"), service: "orders")
        #expect(setting.exitCode == 2)
        #expect(setting.line == "orders: configuration: http.port is \"a b\"; correct it")
        #expect(ProcessFailure(CancellationError(), service: "orders").exitCode == 1)
    }

    private func read(_ variables: [String: String]) async throws -> ConfigReader {
        try await readSettings(service: "orders", arguments: [], environment: variables)
    }
}

func temporaryFile(_ content: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("doorstep-\(UUID().uuidString)")
    try content.write(to: file, atomically: true, encoding: .utf8)
    return file
}
