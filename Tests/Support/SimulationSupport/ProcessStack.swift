package import DomainTime
package import Foundation
import Glibc
import Synchronization
package import TestSupport
import WireCoding

/// A whole stack of real processes on free ports, in a folder of its own: each can be killed and started again.
///
/// A guardian shell kills all processes when the test process ends, however it ends.
package actor ProcessStack: StackUnderTest {
    package struct Replica: Hashable, Sendable {
        package let service: ServiceName
        /// The replica's number, from 1.
        package let number: Int

        package init(service: ServiceName, number: Int) {
            self.service = service
            self.number = number
        }

        package var name: String { "\(service.rawValue)-\(number)" }
    }

    package struct Broken: Error, CustomStringConvertible {
        package let description: String
    }

    /// The port at which services reach a server on a port of this machine: a proxy's port, or the port itself.
    package typealias Detour = @Sendable (_ server: String, _ port: Int) async throws -> Int

    package nonisolated let clock: DomainClock
    package nonisolated let tokens: Tokens
    package nonisolated let postgres: PrivatePostgres
    /// A synchronous standby of ``postgres``, and the second server of each service.
    package nonisolated let standby: PrivatePostgres?
    package nonisolated let folder: String
    package nonisolated let natsPort: Int
    private nonisolated let ports: [Replica: Int]
    private nonisolated let requestCount = Atomic(0)
    nonisolated let emulatorPorts: EmulatorPorts?
    /// The environment of all the stack's processes.
    let base: [String: String]
    private let reaper: ResourceReaper
    /// The ports at which services reach Postgres and NATS.
    private let serverPorts: (postgres: [Int], nats: Int)
    var processes: [String: ChildProcess] = [:]
    /// Processes that ended without having been asked to, and how.
    var exits: [String] = []

    /// Starts everything and returns when every service is ready.
    ///
    /// - Parameters:
    ///   - rate: domain seconds in a wall second.
    ///   - replicas: of each service; they have their ports.
    ///   - launched: how many of them run from the start.
    ///   - hasStandby: whether Postgres has a streaming standby.
    ///   - hasPhones: whether `apns-emulator` runs, with its phones on the stack's clock, and is pushed to.
    ///   - settings: of all services, in the environment.
    ///   - databaseSettings: parameters of Postgres.
    package static func start(
        rate: Double = 60, replicas: Int = 1, launched: Int? = nil, hasStandby: Bool = false, hasPhones: Bool = false,
        settings: [String: String] = [:], databaseSettings: [String: String] = [:],
        through detour: Detour = { $1 }
    ) async throws -> ProcessStack {
        let folder = try makeFolder()
        async let starting = PrivatePostgres.start(settings: databaseSettings)
        try await run("doorstep", ["admin", "keys", "--directory", "\(folder)/secrets"], environment: ["PATH": path])
        let origin = Date()
        let tokens = try await Tokens(secrets: "\(folder)/secrets")
        let postgres = try await starting
        let standby = hasStandby ? try await postgres.startStandby() : nil
        let natsPort = try freePort()
        var postgresPorts = [try await detour("postgres", postgres.port)]
        if let standby { postgresPorts.append(try await detour("postgres", standby.port)) }
        let ports = try freePorts(replicas: replicas)
        let dispatch = ports[Replica(service: .dispatch, number: 1)] ?? 0
        let stack = ProcessStack(
            folder: folder, postgres: postgres, standby: standby, tokens: tokens, natsPort: natsPort,
            serverPorts: (postgresPorts, try await detour("nats", natsPort)),
            emulatorPorts: hasPhones ? try await .free(dispatch: dispatch, through: detour) : nil, ports: ports,
            origin: origin, rate: rate, settings: settings,
            // Processes are found by the folder in their environment, not by an id that may have been reused.
            reaper: try ResourceReaper(folder: folder, stop: ["/bin/sh", "-c", killScript, "sh", folder]))
        do {
            try await stack.setUp(launched: launched ?? replicas)
        } catch {
            await stack.stop()
            throw error
        }
        return stack
    }

    private init(
        folder: String, postgres: PrivatePostgres, standby: PrivatePostgres?, tokens: Tokens, natsPort: Int,
        serverPorts: (postgres: [Int], nats: Int), emulatorPorts: EmulatorPorts?, ports: [Replica: Int], origin: Date,
        rate: Double, settings: [String: String], reaper: ResourceReaper
    ) {
        self.folder = folder
        self.postgres = postgres
        self.standby = standby
        self.tokens = tokens
        self.natsPort = natsPort
        self.serverPorts = serverPorts
        self.emulatorPorts = emulatorPorts
        self.ports = ports
        self.reaper = reaper
        // Whole milliseconds, as the wire has them, so that all processes and the tests read the same time.
        let text = WireJSON.text(of: origin)
        let rounded = WireJSON.date(from: text) ?? origin
        clock = DomainClock(origin: rounded, wallOrigin: rounded, rate: rate)
        let own = [
            "PATH": Self.path, "ENVIRONMENT": "test", "CLOCK_ORIGIN": text, "CLOCK_WALL_ORIGIN": text,
            "CLOCK_RATE": "\(rate)", "NATS_URL": "nats://127.0.0.1:\(natsPort)", "DOORSTEP_TEST_STACK": folder,
        ]
        base = settings.merging(own) { $1 }
    }

    private func setUp(launched: Int) async throws {
        let secrets = ["infra"] + ServiceName.allCases.map(\.rawValue)
        for name in secrets { try Data("nats-\(name)".utf8).write(to: URL(filePath: "\(folder)/secrets/nats-\(name)")) }
        try Data(tokens.operator.utf8).write(to: URL(filePath: "\(folder)/secrets/operator.token"))
        let passwords = ServiceName.allCases.map { ("\($0.role)_password", $0.rawValue) }
        try await postgres.run(
            script: Self.root.appending(path: "Infra/postgres/roles.sql").path,
            variables: Dictionary(uniqueKeysWithValues: passwords))
        try await startNats()
        async let migrated = admin(["migrate"])
        async let streams = admin(["streams"])
        _ = try await (migrated, streams)
        try await startEmulator()
        for replica in ports.keys where replica.number <= launched { try launch(replica) }
        for replica in ports.keys where replica.number <= launched { try await isReady(replica) }
    }

    // MARK: The processes

    /// The base URL of a replica, round robin.
    package nonisolated func url(_ service: ServiceName) -> String {
        let mine = ports.filter { $0.key.service == service }.sorted { $0.key.number < $1.key.number }
        let count = requestCount.add(1, ordering: .relaxed).newValue
        return "http://127.0.0.1:\(mine[count % mine.count].value)"
    }

    package nonisolated func port(of replica: Replica) -> Int? { ports[replica] }

    package nonisolated func url(_ replica: Replica) -> String { "http://127.0.0.1:\(ports[replica] ?? 0)" }

    /// Sends SIGKILL to every replica of a service.
    package func kill9(_ service: ServiceName) async {
        for replica in ports.keys where replica.service == service { await kill9(replica) }
    }

    package func kill9(_ replica: Replica) async { await processes.removeValue(forKey: replica.name)?.kill9() }

    /// Starts every replica of a service, and returns when they are ready.
    package func start(_ service: ServiceName) async throws {
        for replica in ports.keys where replica.service == service { try launch(replica) }
        for replica in ports.keys where replica.service == service { try await isReady(replica) }
    }

    package func kill9Nats() async { await processes.removeValue(forKey: "nats")?.kill9() }

    /// Deletes everything JetStream has stored, while the broker is down.
    package func deleteBrokerStore() throws { try FileManager.default.removeItem(atPath: "\(folder)/nats") }

    /// Kills the broker, deletes what JetStream has stored, and starts the broker again.
    package func loseBrokerStore() async throws {
        await kill9Nats()
        try deleteBrokerStore()
        try await startNats()
    }

    /// Starts the broker on its existing store, and returns when it accepts connections.
    package func startNats() async throws {
        var environment = [
            "PATH": Self.path, "NATS_LISTEN": "127.0.0.1:\(natsPort)", "NATS_STORE": "\(folder)/nats",
            "DOORSTEP_TEST_STACK": folder, "NATS_INFRA_PASSWORD": "nats-infra",
        ]
        for service in ServiceName.allCases {
            environment["NATS_\(service.role.uppercased())_PASSWORD"] = "nats-\(service.rawValue)"
        }
        watch(
            "nats",
            try ChildProcess(
                "nats-server", ["-c", Self.root.appending(path: "Infra/nats/server.conf").path],
                environment: environment, standardOutput: log("nats"), standardError: log("nats")))
        let port = UInt16(natsPort)
        try await eventually("nats-server listens") { isListening(at: port) }
    }

    /// Runs `doorstep admin` as an administrator would, and returns its output.
    @discardableResult
    package func admin(_ arguments: [String]) async throws -> String {
        var environment = base
        environment["DATABASE_URL"] = databaseURL(of: "postgres", at: [postgres, standby].compactMap(\.?.port))
        environment["NATS_USER"] = "infra"
        environment["NATS_PASSWORD_FILE"] = "\(folder)/secrets/nats-infra"
        environment["DOORSTEP_OPERATOR_TOKEN_FILE"] = "\(folder)/secrets/operator.token"
        environment.merge(urls(of: ServiceName.allCases, prefix: "DOORSTEP")) { $1 }
        return try await Self.run("doorstep", ["admin"] + arguments, environment: environment)
    }

    /// Kills everything; the reaper deletes the folder.
    package func stop() async {
        let running = processes
        processes = [:]
        for process in running.values { process.signal(SIGKILL) }
        for process in running.values { await process.wait() }
    }

    /// Starts a replica.
    package func launch(_ replica: Replica) throws {
        let service = replica.service.rawValue
        var environment = base
        environment["HTTP_PORT"] = "\(ports[replica] ?? 0)"
        environment["DATABASE_URL"] = databaseURL(of: replica.service.role, at: serverPorts.postgres)
        environment["NATS_URL"] = "nats://127.0.0.1:\(serverPorts.nats)"
        environment["NATS_USER"] = service
        environment["NATS_PASSWORD_FILE"] = "\(folder)/secrets/nats-\(service)"
        environment["AUTH_KEYS_FILE"] = "\(folder)/secrets/keys.json"
        if replica.service == .orders {
            environment["LINKS_KEYS_FILE"] = "\(folder)/secrets/link-keys"
            environment["PINS_KEYS_FILE"] = "\(folder)/secrets/pin-keys"
            environment["PERSONS_SEALED"] = "true"
            environment["ERASURES_KEY_FILE"] = "\(folder)/secrets/erasure-keys"
            environment["LINKS_ORIGIN"] = url(Replica(service: .orders, number: 1))
            environment["TOKENS_KEY_FILE"] = "\(folder)/secrets/orders.pem"
            environment["COURIERS_ORIGIN"] = url(Replica(service: .courierETA, number: 1))
        }
        if replica.service == .desk {
            environment["DESK_ORIGIN"] = url(replica)
            environment["TOKENS_KEY_FILE"] = "\(folder)/secrets/desk.pem"
            environment.merge(urls(of: ServiceName.messaging, prefix: "SERVICES")) { $1 }
        }
        if replica.service == .partners {
            environment["SECRETS_KEYS_FILE"] = "\(folder)/secrets/secret-keys"
            environment["PARTNERS_ORIGIN"] = url(Replica(service: .partners, number: 1))
            // Receivers are on this machine.
            environment["WEBHOOKS_ALLOW_PRIVATE"] = "true"
        }
        if replica.service == .courierETA {
            environment["LINKS_ORIGIN"] = url(Replica(service: .orders, number: 1))
        }
        if replica.service == .dispatch {
            environment["PINS_KEYS_FILE"] = "\(folder)/secrets/pin-keys"
            environment.merge(pushSettings) { $1 }
        }
        watch(
            replica.name,
            try ChildProcess(
                Self.executable(service), environment: environment, standardOutput: log(replica.name),
                standardError: log(replica.name)))
    }

    /// The settings that name the first replica of each service, such as `DOORSTEP_COURIER_ETA_URL`.
    nonisolated func urls(of services: [ServiceName], prefix: String) -> [String: String] {
        let settings = services.map { ("\(prefix)_\($0.role.uppercased())_URL", url(Replica(service: $0, number: 1))) }
        return Dictionary(uniqueKeysWithValues: settings)
    }

    private func databaseURL(of role: String, at ports: [Int]) -> String {
        "postgres://\(role)@\(ports.map { "127.0.0.1:\($0)" }.joined(separator: ","))/postgres"
    }

    /// Returns when a replica that runs is ready.
    package func isReady(_ replica: Replica) async throws {
        let address = url(replica) + "/health/ready"
        try await eventually("\(replica.name) is ready") { await RetryingClient.probe(address) == 200 }
    }

    /// Registers a process, and records its end unless the stack requested that.
    func watch(_ name: String, _ process: ChildProcess) {
        processes[name] = process
        // Ends with the process, which ends with the stack.
        Task {
            let exit = await process.wait()
            if processes[name] === process { exits.append("\(name): \(exit)") }
        }
    }

    nonisolated func log(_ name: String) -> ChildProcess.Output { .file("\(folder)/\(name).log") }

    /// The services' warnings and errors, newest last, to explain a failure with.
    package nonisolated var recentWarnings: String {
        let files = ports.keys.map(\.name).sorted()
        return files.map { name in
            let text = (try? String(contentsOfFile: "\(folder)/\(name).log", encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n").filter { $0.contains("\"warning\"") || $0.contains("\"error\"") }
            return "\(name):\n" + lines.suffix(8).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension ProcessStack {
    package static let path = "/usr/sbin:/usr/bin:/sbin:/bin"

    /// Kills every process whose environment names the folder.
    private static let killScript = #"""
        for entry in /proc/[0-9]*/environ; do
            if grep -qs "DOORSTEP_TEST_STACK=$1" "$entry"; then
                pid=${entry#/proc/}; kill -9 "${pid%/environ}" 2>/dev/null
            fi
        done
        """#

    /// The package's folder: three above this file's.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The path of a Doorstep executable, built with the running tests.
    package static func executable(_ name: String) -> String {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let beside = tests.appending(path: name).path
        return access(beside, X_OK) == 0 ? beside : root.appending(path: ".build/debug/\(name)").path
    }

    @discardableResult
    static func run(_ name: String, _ arguments: [String], environment: [String: String]) async throws -> String {
        let (exit, output) = try await ChildProcess.run(executable(name), arguments, environment: environment)
        guard exit == .code(0) else {
            throw Broken(description: "\(name) \(arguments.joined(separator: " ")): \(exit)\n\(output)")
        }
        return output
    }

    private static func makeFolder() throws -> String {
        var template = Array("/tmp/doorstep-system-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw Broken(description: "no folder: \(errno)") }
        return String(cString: path)
    }

    private static func freePorts(replicas: Int) throws -> [Replica: Int] {
        var ports: [Replica: Int] = [:]
        for service in ServiceName.allCases {
            for number in 1...replicas { ports[Replica(service: service, number: number)] = try freePort() }
        }
        return ports
    }
}
