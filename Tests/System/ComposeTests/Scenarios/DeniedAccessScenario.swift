import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    /// A service's credentials, in the wrong hands, allow that service's work and nothing else.
    @Suite("Denied access")
    struct DeniedAccessScenario {
        /// A service, its consumers' names, and what no other service may use of it.
        private struct Service {
            let name: ServiceName
            /// Subjects that it alone publishes.
            let publishes: [String]
            /// `STREAM.durable` of its consumers.
            let consumers: [String]
            /// What it asks others about, and not itself.
            let asks: [String]
            /// What it subscribes to beside its consumers, and others may not.
            var follows: [String] = []
            /// Whether it has an inbox and replies to resync questions; the desk only answers that it has erased somebody.
            var mayPublish = true
            /// Whether it wakes who shows deliveries.
            var wakes = true
        }

        /// A table of its own.
        private static func table(of service: ServiceName) -> String { service == .desk ? "sessions" : "outbox" }

        private static let services = [
            Service(
                name: .orders, publishes: ["orders.deliveries-changed.x", "activities.intents.orders"],
                consumers: [
                    "COURIERS.orders-milestones-batches", "COURIERS.orders-estimates-batches",
                    "ACTIVITIES.orders-card-health-batches", "PARTNERS.orders-reports-batches",
                ],
                asks: [
                    "resync.courier-eta.deliveries", "resync.activity-dispatch.intents", "resync.partners.deliveries",
                    "cards.wanted", "alerts.subscriptions", "positions.wanted", "erasures.courier-eta",
                    "erasures.activity-dispatch", "erasures.partners", "erasures.desk", "exports.courier-eta",
                    "exports.activity-dispatch", "exports.partners", "exports.desk",
                ],
                follows: ["activities.intents.*", "deliveries.versions"]),
            Service(
                name: .courierETA,
                publishes: [
                    "couriers.estimates-changed", "couriers.milestones-reached", "activities.intents.courier-eta",
                ],
                consumers: ["ORDERS.courier-eta-batches", "PARTNERS.courier-eta-positions-batches"],
                asks: ["resync.orders.estimates", "resync.activity-dispatch.intents"],
                follows: ["positions.wanted", "erasures.courier-eta", "exports.courier-eta"]),
            Service(
                name: .dispatch, publishes: ["activities.intents.activity-dispatch", "activities.cards-health"],
                consumers: ["ACTIVITIES.activity-dispatch-batches"], asks: ["resync.orders.card-health"],
                follows: [
                    "cards.wanted", "alerts.subscriptions", "devices.streams-changed", "erasures.activity-dispatch",
                    "exports.activity-dispatch",
                ]),
            Service(
                name: .desk, publishes: [], consumers: [], asks: [],
                follows: ["wake.>", "erasures.desk", "exports.desk"],
                mayPublish: false,
                wakes: false),
            Service(
                name: .partners, publishes: ["partners.reports", "partners.positions"],
                consumers: ["ORDERS.partners-batches"], asks: ["resync.orders.reports", "deliveries.versions"],
                follows: ["erasures.partners", "exports.partners"],
                wakes: false),
        ]

        @Test("Each role in Postgres sees its own schema's rows and owns nothing", .timeLimit(.minutes(3)))
        func postgres() async throws {
            try await withProbe("denied access to Postgres") { probe in
                var rows: [String] = []
                for service in ServiceName.allCases {
                    let password = try probe.password(service.rawValue)
                    let own = try await probe.sql(
                        ["SELECT count(*) FROM \(Self.table(of: service))"], as: service.role, password: password)
                    #expect(own == [.allowed], "\(service.role) reads its own: \(own)")
                    let statements = Self.statements(for: service)
                    var tried = Array(
                        zip(statements, try await probe.sql(statements, as: service.role, password: password)))
                    let elsewhere = try await probe.sql(
                        ["SELECT"], as: service.role, password: password, database: "postgres")
                    let guessed = try await probe.sql(["SELECT"], as: service.role, password: "guess")
                    tried += [
                        ("connect to another database", elsewhere[0]), ("connect with another password", guessed[0]),
                    ]
                    for (attempt, outcome) in tried {
                        #expect(outcome.isDenied, "\(service.role): \(attempt)")
                        rows.append("\(service.role) | \(attempt) | \(outcome)")
                    }
                }
                return rows
            }
        }

        private static func statements(for service: ServiceName) -> [String] {
            let others = ServiceName.allCases.filter { $0 != service }.map { "\($0.role).\(table(of: $0))" }
            let own = "\(service.role).\(table(of: service))"
            return others.flatMap { ["SELECT * FROM \($0)", "DELETE FROM \($0)"] } + [
                "CREATE TABLE \(service.role).extra (a int)", "ALTER TABLE \(own) ADD COLUMN extra int",
                "DROP TABLE \(own)", "TRUNCATE \(own)",
                "CREATE TABLE public.extra (a int)", "CREATE SCHEMA extra", "CREATE ROLE extra", "SET ROLE doorstep",
                "ALTER ROLE \(service.role) SUPERUSER", "SELECT * FROM pg_authid",
                "SELECT pg_read_file('/etc/passwd')", "COPY (SELECT 1) TO PROGRAM 'true'",
            ]
        }

        @Test("Each user of the broker publishes and subscribes to its own subjects only", .timeLimit(.minutes(3)))
        func nats() async throws {
            try await withProbe("denied access to NATS") { probe in
                var rows: [String] = []
                for service in Self.services {
                    let user = service.name.rawValue
                    let password = try probe.password("nats-\(user)")
                    // What it is allowed, so that a broker that denies everything does not pass.
                    var allowed: [AccessProbe.Attempt] =
                        service.consumers.map { .publish("$JS.API.CONSUMER.INFO.\($0)") }
                        + service.asks.map { .publish($0) }
                        + service.follows.map { .subscribe($0) }
                    if service.mayPublish {
                        allowed += [
                            .subscribe("_INBOX_\(user).x"), .subscribe("answers.\(user).x"),
                            .subscribe("resync.\(user).x"), .publish("answers.orders.x"),
                        ]
                    }
                    if service.wakes { allowed.append(.publish("wake.\(user)")) }
                    for (attempt, outcome) in zip(
                        allowed, try await probe.nats(allowed, as: user, password: password))
                    {
                        #expect(outcome == .allowed, "\(user): \(attempt): \(outcome)")
                    }
                    let attempts = Self.attempts(for: service)
                    for (attempt, outcome) in zip(
                        attempts, try await probe.nats(attempts, as: user, password: password))
                    {
                        #expect(outcome.isDenied, "\(user): \(attempt)")
                        rows.append("\(user) | \(attempt) | \(outcome)")
                    }
                }
                for (user, password) in [("orders", "guess"), ("", "")] {
                    let outcome = try await probe.nats([.subscribe("_INBOX_orders.x")], as: user, password: password)
                    #expect(outcome[0].isDenied)
                    rows.append("\(user.isEmpty ? "no user" : user) | connect with another password | \(outcome[0])")
                }
                let infra: [AccessProbe.Attempt] = [
                    .subscribe(">"), .subscribe("orders.>"), .subscribe("_INBOX_orders.>"),
                    .publish("$SYS.REQ.SERVER.PING"),
                ]
                let outcomes = try await probe.nats(
                    infra, as: "infra", password: try probe.password("nats-infra"))
                for (attempt, outcome) in zip(infra, outcomes) {
                    #expect(outcome.isDenied, "infra: \(attempt)")
                    rows.append("infra | \(attempt) | \(outcome)")
                }
                return rows
            }
        }

        private static func attempts(for service: Service) -> [AccessProbe.Attempt] {
            let others = services.filter { $0.name != service.name }
            let streams = ["ORDERS", "COURIERS", "ACTIVITIES", "PARTNERS"]
            var attempts: [AccessProbe.Attempt] = others.flatMap { other in
                other.publishes.map { .publish($0) } + other.follows.map { .subscribe($0) }
                    + other.consumers.flatMap { consumer in
                        [.publish("$JS.API.CONSUMER.MSG.NEXT.\(consumer)"), .publish("$JS.ACK.\(consumer).1.1.1.1.1")]
                    }
                    + [
                        .subscribe("_INBOX_\(other.name.rawValue).>"), .subscribe("answers.\(other.name.rawValue).>"),
                        .subscribe("resync.\(other.name.rawValue).x"),
                        .publish("_INBOX_\(other.name.rawValue).x"), .publish("wake.\(other.name.rawValue)"),
                    ]
            }
            let user = service.name.rawValue
            if !service.mayPublish {
                attempts += [
                    .publish("_INBOX_\(user).x"), .subscribe("_INBOX_\(user).x"), .publish("answers.partners.x"),
                    .subscribe("answers.\(user).x"),
                ]
            }
            if !service.wakes { attempts.append(.publish("wake.\(user)")) }
            let asked = Set(services.flatMap(\.asks)).subtracting(service.asks).sorted()
            attempts += asked.map { .publish($0) }
            attempts += streams.flatMap { stream in
                ["STREAM.CREATE", "STREAM.DELETE", "STREAM.PURGE", "STREAM.MSG.GET", "CONSUMER.CREATE"].map {
                    .publish("$JS.API.\($0).\(stream)")
                }
            }
            // Its own it may make anew, where the broker has set the stream back behind it.
            attempts += others.flatMap(\.consumers).flatMap { consumer in
                ["CONSUMER.DELETE", "CONSUMER.DURABLE.CREATE"].map { .publish("$JS.API.\($0).\(consumer)") }
            }
            attempts += [
                ">", "$JS.>", "_INBOX.>", "orders.>", "couriers.>", "activities.>", "partners.>", "resync.>", "$SYS.>",
            ].map {
                .subscribe($0)
            }
            return attempts + [.publish("$SYS.REQ.SERVER.PING")]
        }

        /// Starts a stack, runs the attempts, and prints the result of each.
        private func withProbe(_ name: String, _ attempt: (AccessProbe) async throws -> [String]) async throws {
            print("scenario: \(name) …")
            let stack = try await ComposeStack.start()
            let rows = try await withTeardown({ await stack.stop() }) { try await attempt(AccessProbe(stack: stack)) }
            print("scenario: \(name): \(rows.count) attempts denied")
            for row in rows { print("    | \(row) |") }
        }
    }
}
