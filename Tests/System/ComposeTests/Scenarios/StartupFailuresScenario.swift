import DoorstepAPI
import Foundation
import ScriptedPeers
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    /// A wrong setting or a broken machine: one line that names the fix, and nothing half-started.
    @Suite("Startup failures")
    struct StartupFailuresScenario {
        @Test("Without secrets nothing starts", .timeLimit(.minutes(2)))
        func missingSecrets() async throws {
            try await expectStartupFailure(
                "missing secrets", saying: "run: make compose-secrets", ["DOORSTEP_SECRETS": ""])
            let stack = try await ComposeStack.prepared(environment: ["DOORSTEP_SECRETS": ""])
            let (succeeded, output) = try await stack.docker.tryCompose(["up", "-d"])
            #expect(!succeeded && output.contains("run make compose-secrets first"), "\(output)")
            try await expectNothingIsLeft(of: stack)
        }

        @Test("With one secret missing nothing starts", .timeLimit(.minutes(2)))
        func oneMissingSecret() async throws {
            try await withSecrets { folder in
                try FileManager.default.removeItem(atPath: "\(folder)/nats-orders")
                try await expectStartupFailure(
                    "one secret missing", saying: "nats-orders is missing; run: make compose-secrets",
                    ["DOORSTEP_SECRETS": folder])
            }
        }

        @Test("With a port in use nothing starts", .timeLimit(.minutes(2)))
        func portInUse() async throws {
            let server = try await ScriptedHTTPServer.start()
            try await withTeardown({ try await server.stop() }) {
                try await expectStartupFailure(
                    "a port in use",
                    saying: "port \(server.port) is in use; stop what listens there, or set DOORSTEP_ORDERS_PORT",
                    ["DOORSTEP_ORDERS_PORT": "\(server.port)"])
            }
        }

        @Test("With a clock that is before its secrets nothing starts", .timeLimit(.minutes(2)))
        func clockOff() async throws {
            try await withSecrets { folder in
                try FileManager.default.setAttributes(
                    [.modificationDate: Date().addingTimeInterval(86_400)], ofItemAtPath: "\(folder)/keys.json")
                try await expectStartupFailure(
                    "a clock that is off", saying: "set it, for example", ["DOORSTEP_SECRETS": folder])
            }
        }

        @Test("A clock rate is refused in production, and nothing stays up", .timeLimit(.minutes(3)))
        func clockRate() async throws {
            try await expectStartupFailure(
                "a clock rate in production", saying: "only 1 is allowed in production",
                Self.origins.merging(["DOORSTEP_ENVIRONMENT": "production", "DOORSTEP_CLOCK_RATE": "30"]) { $1 })
        }

        /// Origins that are reached from elsewhere, as production needs them.
        private static let origins = [
            "DOORSTEP_LINKS_ORIGIN": "https://go.nordhavn.example",
            "DOORSTEP_COURIERS_ORIGIN": "https://couriers.nordhavn.example",
            "DOORSTEP_DESK_ORIGIN": "https://desk.nordhavn.example",
            "DOORSTEP_PARTNERS_ORIGIN": "https://partners.nordhavn.example",
        ]

        @Test("Origins of this machine alone are refused in production, and nothing stays up", .timeLimit(.minutes(3)))
        func loopbackOrigin() async throws {
            try await expectStartupFailure(
                "a loopback origin in production", saying: "set DOORSTEP_LINKS_ORIGIN in .env",
                Self.origins.merging([
                    "DOORSTEP_ENVIRONMENT": "production", "DOORSTEP_LINKS_ORIGIN": "http://127.0.0.1:8081",
                ]) { $1 })
        }

        @Test("What failed in a running stack before fails no start with the setting mended", .timeLimit(.minutes(3)))
        func mendedOrigin() async throws {
            print("scenario: a start after one that failed …")
            let stack = try await ComposeStack.prepared(rate: 1)
            try await withTeardown({ await stack.stop() }) {
                try await stack.up(["roles", "streams"])
                let refused = Docker(
                    environment: stack.docker.environment.merging(["DOORSTEP_ENVIRONMENT": "production"]) { $1 })
                try await refused.compose(["up", "-d", "--no-build", "--no-deps", "origins"])
                try await eventually("the origins are refused") {
                    let exited = try await stack.docker.docker([
                        "ps", "--all", "--filter", stack.projectFilter, "--filter", "status=exited", "--filter",
                        "label=com.docker.compose.service=origins", "--format", "{{.Status}}",
                    ])
                    return exited.contains("Exited (2)")
                }
                let (exit, output) = try await ChildProcess.run(
                    Docker.root.appending(path: "Infra/docker/up").path, environment: stack.docker.environment)
                #expect(exit == .code(0), "\(exit): \(output)")
                try await stack.waitUntilReady()
            }
            print("    checked: it runs, though the check of the origins had failed before")
        }

        @Test("A disk without room for the database: nothing stays up", .timeLimit(.minutes(3)))
        func noRoomToStart() async throws {
            try await withDatabaseVolume(megabytes: 20) { file in
                try await expectStartupFailure(
                    "no room for the database", saying: "postgres: no space is left where its volume is",
                    ["COMPOSE_FILE": "docker-compose.yml:\(file)"])
            }
        }

        @Test("A service without its schema reports it, and is ready once it is migrated", .timeLimit(.minutes(3)))
        func oldSchema() async throws {
            print("scenario: an old schema …")
            let stack = try await ComposeStack.prepared()
            try await withTeardown({ await stack.stop() }) {
                try await stack.up(["roles", "streams"])
                try await stack.docker.compose(["up", "-d", "--no-build", "--no-deps", "orders"])
                var health = ""
                try await eventually("orders reports what is missing") {
                    health = try await stack.docker.docker([
                        "inspect", "--format", "{{json .State.Health}}", try await stack.container("orders"),
                    ])
                    return health.contains("run: doorstep admin migrate")
                }
                try await stack.up()
                try await stack.waitUntilReady()
            }
            print("    checked: not ready, \"run: doorstep admin migrate\"; ready once `up` ran the migrations")
        }

        @Test(
            "A disk that fills up under Postgres: a clear answer, and nothing acknowledged is lost",
            .timeLimit(.minutes(4)))
        func diskFillsUp() async throws {
            print("scenario: the disk under Postgres fills up …")
            try await withDatabaseVolume(megabytes: 200) { file in
                let stack = try await ComposeStack.prepared(environment: ["COMPOSE_FILE": "docker-compose.yml:\(file)"])
                try await withTeardown({ await stack.stop() }) {
                    try await stack.up()
                    try await stack.waitUntilReady()
                    try await fillUp(stack)
                }
            }
        }

        private func fillUp(_ stack: ComposeStack) async throws {
            let simulation = try await Simulation(stack, baskets: [], spacing: 0)
            let basket = Simulation.Basket(customer: "mette", endings: [.delivered])
            let first = try await simulation.place(basket, number: 0, routes: [.synthetic(0)])
            _ = try await stack.docker.shell(in: "postgres", "dd if=/dev/zero of=$PGDATA/filler bs=64k; true")

            // Orders are placed until one is refused; each that is acknowledged is recorded.
            var acknowledged = [first]
            var refusal: String?
            for number in 1..<2_000 where refusal == nil {
                let answer = try await simulation.tryToPlace(basket, number: number)
                if let order = answer.order { acknowledged.append(order) } else { refusal = answer.response }
            }
            #expect(refusal?.hasPrefix("503") == true, "\(refusal ?? "nothing was refused")")
            _ = try await stack.docker.shell(in: "postgres", "rm $PGDATA/filler")
            try await stack.waitUntilReady()
            for order in acknowledged {
                let delivery = try #require(order.deliveries.first)
                let _: DeliveryBody = try await stack.asOperator.get(
                    .orders, "/v1/deliveries/\(delivery.id)")
            }
            _ = try await simulation.place(basket, number: 5_000, routes: [.synthetic(0)])
            print("    checked: refused with \(refusal ?? "")")
            print("    checked: all \(acknowledged.count) acknowledged orders are there, and orders are accepted again")
        }

        // MARK: Starting with a fault

        /// Expects that `Infra/docker/up` exits with one line of error and leaves nothing running.
        private func expectStartupFailure(_ name: String, saying text: String, _ environment: [String: String])
            async throws
        {
            print("scenario: \(name) …")
            let stack = try await ComposeStack.prepared(environment: environment)
            try await withTeardown({ await stack.stop() }) {
                let (exit, output) = try await ChildProcess.run(
                    Docker.root.appending(path: "Infra/docker/up").path, environment: stack.docker.environment)
                let lines = output.split(whereSeparator: \.isNewline)
                #expect(exit == .code(6), "\(exit): \(output)")
                #expect(lines.count == 1 && output.contains(text), "\(output)")
                try await expectNothingIsLeft(of: stack)
                print("    checked: nothing is left; the message: \(lines.last ?? "")")
            }
        }

        private func expectNothingIsLeft(of stack: ComposeStack) async throws {
            let left = try await stack.docker.docker(["ps", "--all", "--quiet", "--filter", stack.projectFilter])
            #expect(left.isEmpty, "\(left)")
        }

        /// A copy of the secrets that the test may damage.
        private func withSecrets(_ body: (String) async throws -> Void) async throws {
            let settings = try #require(ComposeStack.Settings.ofProcess)
            let copy = settings.secrets + "-" + UUID().uuidString
            try FileManager.default.copyItem(atPath: settings.secrets, toPath: copy)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            try await body(copy)
        }

        /// A file of Compose that gives the database a volume in memory.
        private func withDatabaseVolume(megabytes: Int, _ body: (String) async throws -> Void) async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "small-\(UUID().uuidString).yml").path
            let text = """
                volumes:
                  postgres:
                    driver_opts: {type: tmpfs, device: tmpfs, o: "size=\(megabytes)m,uid=999,gid=999,mode=0700"}
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            defer { try? FileManager.default.removeItem(atPath: file) }
            try await body(file)
        }
    }
}
