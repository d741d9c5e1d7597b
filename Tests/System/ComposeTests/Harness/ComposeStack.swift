import DomainTime
import Foundation
import SimulationSupport
import Synchronization
import TestSupport
import Testing
import WireCoding

/// One stack in containers, as docker-compose.yml describes it, in a project of its own on free ports.
actor ComposeStack: StackUnderTest {
    /// The settings that `make test-compose` gives to the tests.
    struct Settings: Sendable {
        /// A folder that `make compose-secrets` filled.
        let secrets: String
        /// Whether docker-compose.scale.yml is on top: two of each service, three brokers.
        let isScaled: Bool
        /// The run of `Infra/docker/test`, which at its end removes what its own scenarios left.
        let run: String

        static let ofProcess: Settings? = {
            let environment = ProcessInfo.processInfo.environment
            guard let secrets = environment["DOORSTEP_SECRETS"], environment["DOORSTEP_COMPOSE_TESTS"] == "1" else {
                return nil
            }
            return Settings(
                secrets: secrets, isScaled: environment["DOORSTEP_SCALE"]?.isEmpty == false,
                run: environment["DOORSTEP_COMPOSE_RUN"] ?? "0")
        }()
    }

    nonisolated let clock: DomainClock
    nonisolated let tokens: Tokens
    nonisolated let docker: Docker
    nonisolated let settings: Settings
    /// Nil where the stack has none.
    nonisolated let phones: EmulatedPhones?
    /// The name of the container with the phones.
    static let emulator = "apns-emulator"
    private nonisolated let project: String
    private nonisolated let ports: [ServiceName: [Int]]
    private nonisolated let roundRobin = RoundRobin()

    /// Starts everything and returns when every service is ready.
    ///
    /// - Parameters:
    ///   - rate: domain seconds in a wall second.
    ///   - hasPhones: whether docker-compose.phones.yml is on top: an emulator of phones that pushes go to.
    static func start(rate: Double = 30, hasPhones: Bool = false) async throws -> ComposeStack {
        let containers = try await prepared(rate: rate, hasPhones: hasPhones)
        do {
            try await containers.up()
            try await containers.waitUntilReady()
        } catch {
            print(await containers.recentWarnings)
            await containers.stop()
            throw error
        }
        return containers
    }

    /// A stack with nothing started yet.
    static func prepared(rate: Double = 30, environment: [String: String] = [:], hasPhones: Bool = false) async throws
        -> ComposeStack
    {
        let settings = try #require(Settings.ofProcess)
        try #require(!hasPhones || !settings.isScaled, "a scaled stack has no phones")
        return try ComposeStack(
            settings, tokens: try await Tokens(secrets: settings.secrets), rate: rate, hasPhones: hasPhones,
            environment: environment)
    }

    private init(
        _ settings: Settings, tokens: Tokens, rate: Double, hasPhones: Bool, environment extra: [String: String]
    ) throws {
        self.settings = settings
        self.tokens = tokens
        project = "doorstep-test-\(settings.run)-\(UUID().uuidString.prefix(8).lowercased())"
        // Whole milliseconds, as the wire has them, so that all processes and the tests read the same time.
        let text = WireJSON.text(of: Date())
        let origin = WireJSON.date(from: text) ?? Date()
        clock = DomainClock(origin: origin, wallOrigin: origin, rate: rate)
        var ports: [ServiceName: [Int]] = [:]
        var environment = ProcessInfo.processInfo.environment
        for service in ServiceName.allCases {
            ports[service] = try (1...(settings.isScaled ? 2 : 1)).map { _ in try freePort() }
            for (number, port) in (ports[service] ?? []).enumerated() {
                environment["DOORSTEP_\(service.role.uppercased())\(number == 0 ? "" : "_2")_PORT"] = "\(port)"
            }
        }
        self.ports = ports
        environment["COMPOSE_PROJECT_NAME"] = project
        environment["DOORSTEP_ENVIRONMENT"] = "test"
        environment["DOORSTEP_CLOCK_ORIGIN"] = text
        environment["DOORSTEP_CLOCK_RATE"] = "\(rate)"
        let phonesPort = try hasPhones ? freePort() : nil
        environment["DOORSTEP_PHONES"] = hasPhones ? "1" : "0"
        environment["DOORSTEP_PHONES_PORT"] = phonesPort.map { "\($0)" }
        phones = phonesPort.map { EmulatedPhones(url: "http://127.0.0.1:\($0)") }
        environment["DOORSTEP_LINKS_ORIGIN"] = "http://127.0.0.1:\(ports[.orders]?[0] ?? 0)"
        environment["DOORSTEP_COURIERS_ORIGIN"] = "http://127.0.0.1:\(ports[.courierETA]?[0] ?? 0)"
        environment["DOORSTEP_DESK_ORIGIN"] = "http://127.0.0.1:\(ports[.desk]?[0] ?? 0)"
        environment["DOORSTEP_PARTNERS_ORIGIN"] = "http://127.0.0.1:\(ports[.partners]?[0] ?? 0)"
        environment["DOORSTEP_WEBHOOKS_ALLOW_PRIVATE"] = "true"
        docker = Docker(environment: environment.merging(extra) { $1 })
    }

    // MARK: The stack

    /// Every long-running container, the stores first.
    nonisolated var all: [String] {
        settings.isScaled
            ? ["postgres", "postgres-2", "nats", "nats-2", "nats-3"]
                + ServiceName.allCases.flatMap { [$0.rawValue, "\($0.rawValue)-2"] }
            : ["postgres", "nats"] + ServiceName.allCases.map(\.rawValue) + (phones == nil ? [] : [Self.emulator])
    }

    /// Every long-running container of an unscaled stack, in the groups that a fault takes at once: nothing on the way
    /// to a screen waits for the desk or for partners, so they share the fault of another.
    nonisolated var faultGroups: [[String]] {
        let aside: [String: ServiceName] = [
            ServiceName.orders.rawValue: .desk, ServiceName.courierETA.rawValue: .partners,
        ]
        let joined = aside.values.map(\.rawValue)
        return all.filter { !joined.contains($0) }.map { [$0] + (aside[$0].map { [$0.rawValue] } ?? []) }
    }

    /// The containers of one service.
    nonisolated func replicas(of service: ServiceName) -> [String] {
        settings.isScaled ? [service.rawValue, "\(service.rawValue)-2"] : [service.rawValue]
    }

    nonisolated var brokers: [String] { settings.isScaled ? ["nats", "nats-2", "nats-3"] : ["nats"] }

    nonisolated func url(_ service: ServiceName) -> String {
        let mine = ports[service] ?? []
        return "http://127.0.0.1:\(mine[roundRobin.next() % mine.count])"
    }

    /// Starts everything, or the named services and their dependencies.
    func up(_ services: [String] = []) async throws {
        try await docker.compose(["up", "-d", "--no-build"] + services)
    }

    func waitUntilReady() async throws {
        for (service, ports) in ports {
            for port in ports {
                try await eventually("\(service.rawValue) at \(port) is ready") {
                    await RetryingClient.probe("http://127.0.0.1:\(port)/health/ready") == 200
                }
            }
        }
        guard let phones else { return }
        try await eventually("apns-emulator is ready") {
            await RetryingClient.probe("\(phones.url)/health/ready") == 200
        }
    }

    /// Runs `doorstep-admin` in a container, as an administrator would.
    @discardableResult
    func admin(_ arguments: [String]) async throws -> String {
        try await docker.compose(["run", "--rm", "-T", "doorstep-admin"] + arguments)
    }

    /// Runs `doorstep ops` in a container, as an operator would.
    func ops(_ arguments: [String]) async throws -> String {
        try await docker.compose(["run", "--rm", "-T", "doorstep", "ops"] + arguments)
    }

    /// Starts a command in a container of one of the services that people run, with that service's secrets.
    nonisolated func startCommand(_ service: String, _ arguments: [String]) throws -> StackCommand {
        try StackCommand(
            Docker.root.appending(path: "Infra/docker/compose").path, ["run", "--rm", "-T", service] + arguments,
            environment: docker.environment, output: "/tmp/\(project)-\(UUID().uuidString)")
    }

    /// The services' warnings and errors, newest last, to explain a failure with.
    var recentWarnings: String {
        get async {
            let services = all + ["roles", "migrations", "streams"]
            guard let logs = try? await docker.compose(["logs", "--no-color", "--tail", "200"] + services) else {
                return "no logs"
            }
            let marks = ["\"warning\"", "\"error\"", "failed", "FATAL", "PANIC", "[ERR]"]
            return logs.split(separator: "\n").filter { line in marks.contains { line.contains($0) } }.suffix(40)
                .joined(separator: "\n")
        }
    }

    /// Removes containers, networks and volumes.
    func stop() async {
        // A paused container cannot be stopped.
        let paused = try? await docker.docker(["ps", "--quiet", "--filter", projectFilter, "--filter", "status=paused"])
        for id in (paused ?? "").split(separator: "\n") { _ = try? await docker.docker(["unpause", String(id)]) }
        _ = try? await docker.compose(["down", "--volumes", "--timeout", "2", "--remove-orphans"])
    }

    func container(_ service: String) async throws -> String {
        // Of Docker itself, which answers in a tenth of Compose's time.
        let id = try await docker.docker([
            "ps", "--all", "--quiet", "--filter", projectFilter, "--filter", "label=com.docker.compose.oneoff=False",
            "--filter", "label=com.docker.compose.service=\(service)",
        ])
        guard !id.isEmpty else { throw Docker.Failed(description: "there is no container of \(service)") }
        return id
    }

    nonisolated var projectFilter: String { "label=com.docker.compose.project=\(project)" }
    nonisolated func network(_ name: String) -> String { "\(project)_\(name)" }
    nonisolated func volume(_ name: String) -> String { "\(project)_\(name)" }
}

/// Counts requests, so that each goes to the next replica.
private final class RoundRobin: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
