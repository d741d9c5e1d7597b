import DoorstepAPI
import Foundation
import Glibc
import TestSupport
import Testing
import TownSupport

extension ComposeTests {
    /// What an operator gets wrong, or a machine does: one line that names the fix, and nothing half-started.
    @Suite("Bad input")
    struct BadInputStory {
        @Test("Without secrets nothing starts", .timeLimit(.minutes(2)))
        func missingSecrets() async throws {
            try await refusedStart("missing secrets", saying: "run: make compose-secrets", ["DOORSTEP_SECRETS": ""])
            let stack = try await Containers.prepared(environment: ["DOORSTEP_SECRETS": ""])
            let (succeeded, output) = try await stack.docker.tryCompose(["up", "-d"])
            #expect(!succeeded && output.contains("run make compose-secrets first"), "\(output)")
            try await nothingIsLeft(of: stack)
        }

        @Test("With one secret missing nothing starts", .timeLimit(.minutes(2)))
        func oneMissingSecret() async throws {
            try await withSecrets { folder in
                try FileManager.default.removeItem(atPath: "\(folder)/nats-orders")
                try await refusedStart(
                    "one secret missing", saying: "nats-orders is missing; run: make compose-secrets",
                    ["DOORSTEP_SECRETS": folder])
            }
        }

        @Test("With a port in use nothing starts", .timeLimit(.minutes(2)))
        func portInUse() async throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            let port = try listenOnFreePort(descriptor)
            try await refusedStart(
                "a port in use", saying: "port \(port) is in use; stop what listens there, or set DOORSTEP_ORDERS_PORT",
                ["DOORSTEP_ORDERS_PORT": "\(port)"])
        }

        @Test("With a clock that is before its secrets nothing starts", .timeLimit(.minutes(2)))
        func clockOff() async throws {
            try await withSecrets { folder in
                try FileManager.default.setAttributes(
                    [.modificationDate: Date().addingTimeInterval(86_400)], ofItemAtPath: "\(folder)/keys.json")
                try await refusedStart(
                    "a clock that is off", saying: "set it, for example", ["DOORSTEP_SECRETS": folder])
            }
        }

        @Test("A clock rate is refused in production, and nothing stays up", .timeLimit(.minutes(3)))
        func clockRate() async throws {
            try await refusedStart(
                "a clock rate in production", saying: "only 1 is allowed in production",
                ["DOORSTEP_ENVIRONMENT": "production", "DOORSTEP_CLOCK_RATE": "30"])
        }

        @Test("A disk without room for the database: nothing stays up", .timeLimit(.minutes(3)))
        func noRoomToStart() async throws {
            try await withDatabaseVolume(megabytes: 20) { file in
                try await refusedStart(
                    "no room for the database", saying: "postgres: no space is left where its volume is",
                    ["COMPOSE_FILE": "docker-compose.yml:\(file)"])
            }
        }

        @Test("Code before its schema says so, and is ready once it is migrated", .timeLimit(.minutes(3)))
        func oldSchema() async throws {
            print("story: an old schema …")
            let stack = try await Containers.prepared()
            try await cleanly(stack) {
                try await stack.up(["roles", "streams"])
                try await stack.docker.compose(["up", "-d", "--no-build", "--no-deps", "orders"])
                var words = ""
                try await eventually("orders says what is missing") {
                    words = try await stack.docker.docker([
                        "inspect", "--format", "{{json .State.Health}}", try await stack.container("orders"),
                    ])
                    return words.contains("run: doorstep admin migrate")
                }
                try await stack.up()
                try await stack.everythingIsReady()
            }
            print("    checked: not ready, \"run: doorstep admin migrate\"; ready once `up` ran the migrations")
        }

        @Test(
            "A disk that fills up under Postgres: a clear answer, and nothing acknowledged is lost",
            .timeLimit(.minutes(4)))
        func diskFillsUp() async throws {
            print("story: the disk under Postgres fills up …")
            try await withDatabaseVolume(megabytes: 200) { file in
                let stack = try await Containers.prepared(environment: ["COMPOSE_FILE": "docker-compose.yml:\(file)"])
                try await cleanly(stack) {
                    try await stack.up()
                    try await stack.everythingIsReady()
                    try await fillUp(stack)
                }
            }
        }

        private func fillUp(_ stack: Containers) async throws {
            let town = try await Town(stack, baskets: [], spacing: 0)
            let basket = Town.Basket(customer: "mette", endings: [.delivered])
            let first = try await town.place(basket, number: 0, routes: [.ours(0)])
            _ = try await stack.docker.shell(in: "postgres", "dd if=/dev/zero of=$PGDATA/filler bs=64k; true")

            // Orders go on being asked for until one is refused; each that is acknowledged is kept in mind.
            var acknowledged = [first]
            var refusal: String?
            for number in 1..<2_000 where refusal == nil {
                let answer = try await town.tryToPlace(basket, number: number)
                if let order = answer.order { acknowledged.append(order) } else { refusal = answer.words }
            }
            #expect(refusal?.hasPrefix("503") == true, "\(refusal ?? "nothing was refused")")
            _ = try await stack.docker.shell(in: "postgres", "rm $PGDATA/filler")
            try await stack.everythingIsReady()
            for order in acknowledged {
                let delivery = try #require(order.deliveries.first)
                let _: DeliveryBody = try await Caller(stack: stack, token: stack.tokens.operator).get(
                    .orders, "/v1/deliveries/\(delivery.id)")
            }
            _ = try await town.place(basket, number: 5_000, routes: [.ours(0)])
            print("    checked: refused with \(refusal ?? "")")
            print("    checked: all \(acknowledged.count) acknowledged orders are there, and orders are taken again")
        }

        // MARK: Starting with something wrong

        /// `Infra/docker/up` leaves with an error of one line, and with nothing running.
        private func refusedStart(_ name: String, saying words: String, _ environment: [String: String]) async throws {
            print("story: \(name) …")
            let stack = try await Containers.prepared(environment: environment)
            try await cleanly(stack) {
                let (exit, output) = try await ChildProcess.run(
                    Docker.root.appending(path: "Infra/docker/up").path, environment: stack.docker.environment)
                let lines = output.split(whereSeparator: \.isNewline)
                #expect(exit == .code(6), "\(exit): \(output)")
                #expect(lines.count == 1 && output.contains(words), "\(output)")
                try await nothingIsLeft(of: stack)
                print("    checked: nothing is left; it says: \(lines.last ?? "")")
            }
        }

        private func nothingIsLeft(of stack: Containers) async throws {
            let left = try await stack.docker.docker(["ps", "--all", "--quiet", "--filter", stack.projectFilter])
            #expect(left.isEmpty, "\(left)")
        }

        private func cleanly(_ stack: Containers, _ body: () async throws -> Void) async throws {
            do {
                try await body()
            } catch {
                await stack.stop()
                throw error
            }
            await stack.stop()
        }

        /// A copy of the secrets to spoil.
        private func withSecrets(_ body: (String) async throws -> Void) async throws {
            let settings = try #require(Containers.Settings.ofProcess)
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
