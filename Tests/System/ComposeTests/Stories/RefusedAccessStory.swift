import Testing
import TownSupport

extension ComposeTests {
    /// A service's credentials in the wrong hands are good for that service's work and nothing else.
    @Suite("Refused access")
    struct RefusedAccessStory {
        /// A service, its consumers' names, and what nobody else may use of it.
        private struct Service {
            let name: ServiceName
            /// Subjects that it alone publishes.
            let publishes: [String]
            /// `STREAM.durable` of its consumers.
            let consumers: [String]
        }

        private static let services = [
            Service(
                name: .orders, publishes: ["orders.delivery-changed.x", "activities.intent.orders.x.x"],
                consumers: ["COURIERS.orders-milestones", "COURIERS.orders-estimates", "ACTIVITIES.orders-card-health"]),
            Service(
                name: .courierETA,
                publishes: [
                    "couriers.estimate-changed.x", "couriers.milestone-reached.x", "activities.intent.courier-eta.x.x",
                ],
                consumers: ["ORDERS.courier-eta"]),
            Service(
                name: .dispatch, publishes: ["activities.intent.activity-dispatch.x.x", "activities.card-health.x"],
                consumers: ["ACTIVITIES.activity-dispatch"]),
        ]

        @Test("Each role in Postgres sees its own schema's rows and owns nothing", .timeLimit(.minutes(3)))
        func postgres() async throws {
            try await tell("refused access to Postgres") { intruder in
                var rows: [String] = []
                for service in ServiceName.allCases {
                    let password = try intruder.password(service.rawValue)
                    let own = try await intruder.sql(
                        ["SELECT count(*) FROM outbox"], as: service.role, password: password)
                    #expect(own == [.allowed], "\(service.role) reads its own: \(own)")
                    let statements = Self.statements(for: service)
                    var tried = Array(
                        zip(statements, try await intruder.sql(statements, as: service.role, password: password)))
                    let elsewhere = try await intruder.sql(
                        ["SELECT"], as: service.role, password: password, database: "postgres")
                    let guessed = try await intruder.sql(["SELECT"], as: service.role, password: "guess")
                    tried += [
                        ("connect to another database", elsewhere[0]), ("connect with another password", guessed[0]),
                    ]
                    for (attempt, outcome) in tried {
                        #expect(outcome.isRefused, "\(service.role): \(attempt)")
                        rows.append("\(service.role) | \(attempt) | \(outcome)")
                    }
                }
                return rows
            }
        }

        private static func statements(for service: ServiceName) -> [String] {
            let others = ServiceName.allCases.filter { $0 != service }
            return others.flatMap { other in
                ["SELECT * FROM \(other.role).outbox", "DELETE FROM \(other.role).outbox"]
            } + [
                "CREATE TABLE \(service.role).extra (a int)", "ALTER TABLE \(service.role).outbox ADD COLUMN extra int",
                "DROP TABLE \(service.role).outbox", "TRUNCATE \(service.role).outbox",
                "CREATE TABLE public.extra (a int)", "CREATE SCHEMA extra", "CREATE ROLE extra", "SET ROLE doorstep",
                "ALTER ROLE \(service.role) SUPERUSER", "SELECT * FROM pg_authid",
                "SELECT pg_read_file('/etc/passwd')", "COPY (SELECT 1) TO PROGRAM 'true'",
            ]
        }

        @Test("Each user of the broker says and hears what is its own", .timeLimit(.minutes(3)))
        func nats() async throws {
            try await tell("refused access to NATS") { intruder in
                var rows: [String] = []
                for service in Self.services {
                    let user = service.name.rawValue
                    let password = try intruder.password("nats-\(user)")
                    // What it is allowed, so that a broker that refuses everything does not pass.
                    let allowed: [Intruder.Attempt] =
                        service.consumers.map { .publish("$JS.API.CONSUMER.INFO.\($0)") }
                        + [.subscribe("_INBOX_\(user).x")]
                    for (attempt, outcome) in zip(
                        allowed, try await intruder.nats(allowed, as: user, password: password))
                    {
                        #expect(outcome == .allowed, "\(user): \(attempt): \(outcome)")
                    }
                    let attempts = Self.attempts(for: service)
                    for (attempt, outcome) in zip(
                        attempts, try await intruder.nats(attempts, as: user, password: password))
                    {
                        #expect(outcome.isRefused, "\(user): \(attempt)")
                        rows.append("\(user) | \(attempt) | \(outcome)")
                    }
                }
                for (user, password) in [("orders", "guess"), ("", "")] {
                    let outcome = try await intruder.nats([.subscribe("_INBOX_orders.x")], as: user, password: password)
                    #expect(outcome[0].isRefused)
                    rows.append("\(user.isEmpty ? "nobody" : user) | connect with another password | \(outcome[0])")
                }
                let infra: [Intruder.Attempt] = [
                    .subscribe(">"), .subscribe("orders.>"), .subscribe("_INBOX_orders.>"),
                    .publish("$SYS.REQ.SERVER.PING"),
                ]
                let outcomes = try await intruder.nats(
                    infra, as: "infra", password: try intruder.password("nats-infra"))
                for (attempt, outcome) in zip(infra, outcomes) {
                    #expect(outcome.isRefused, "infra: \(attempt)")
                    rows.append("infra | \(attempt) | \(outcome)")
                }
                return rows
            }
        }

        private static func attempts(for service: Service) -> [Intruder.Attempt] {
            let others = services.filter { $0.name != service.name }
            let streams = ["ORDERS", "COURIERS", "ACTIVITIES"]
            var attempts: [Intruder.Attempt] = others.flatMap { other in
                other.publishes.map { .publish($0) }
                    + other.consumers.flatMap { consumer in
                        [.publish("$JS.API.CONSUMER.MSG.NEXT.\(consumer)"), .publish("$JS.ACK.\(consumer).1.1.1.1.1")]
                    }
                    + [.subscribe("_INBOX_\(other.name.rawValue).>")]
            }
            attempts += streams.flatMap { stream in
                ["STREAM.CREATE", "STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.GET", "CONSUMER.CREATE"].map {
                    .publish("$JS.API.\($0).\(stream)")
                }
            }
            attempts += service.consumers.map { .publish("$JS.API.CONSUMER.DELETE.\($0)") }
            attempts += [">", "$JS.>", "_INBOX.>", "orders.>", "couriers.>", "activities.>", "$SYS.>"].map {
                .subscribe($0)
            }
            return attempts + [.publish("$SYS.REQ.SERVER.PING")]
        }

        /// Brings a stack up, lets an intruder try, and prints what each attempt was answered.
        private func tell(_ name: String, _ tries: (Intruder) async throws -> [String]) async throws {
            print("story: \(name) …")
            let stack = try await Containers.start()
            let rows: [String]
            do {
                rows = try await tries(Intruder(stack: stack))
            } catch {
                await stack.stop()
                throw error
            }
            await stack.stop()
            print("story: \(name): \(rows.count) attempts refused")
            for row in rows { print("    | \(row) |") }
        }
    }
}
