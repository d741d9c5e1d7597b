import DoorstepAPI
import Foundation
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("A customer and a courier are erased")
    struct ErasedCustomerScenario {
        private static let schemas = "'orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners'"

        private static let courier = "courier-1"
        private static let courierWords = [courier, courier.capitalized]

        @Test(
            "Nothing that names the customer or the courier is in any schema any more, nor comes back",
            .timeLimit(.minutes(5)))
        func erased() async throws {
            let baskets = ["mette", "jonas"].map { Simulation.Basket(customer: $0, endings: [.delivered]) }
            try await Simulation.run(baskets, rate: 240) { simulation in
                let stack = simulation.stack
                let refused = AsyncStream.makeStream(of: Never.self)
                let ended = try await simulation.runDeliveries {
                    defer { refused.continuation.finish() }
                    try await eventually("both are picked up") { simulation.progress.count(.pickedUp) == 2 }
                    await #expect(throws: ProcessStack.Broken.self) {
                        try await stack.admin(["customer", "erase", "mette", "--yes"])
                    }
                } beforeHandOver: { basket in
                    // Her delivery is live until the request has been refused.
                    if basket.customer == "mette" { for await _ in refused.stream {} }
                }
                let reference = try #require(ended.first { $0.delivery.customer?.rawValue == "mette" })
                    .delivery.reference
                try await stack.postgres.execute(Self.backUp)

                // Two services are away, and the one that owns the request is killed before they are back.
                for service in [ServiceName.partners, .desk] { await stack.kill9(service) }
                await #expect(throws: ProcessStack.Broken.self) {
                    try await stack.admin(["customer", "erase", "mette", "--yes", "--wait-seconds", "2"])
                }
                // Its answer has been 202 already, so a restore is to repeat it.
                try await keepList(stack)
                let kept = try Data(contentsOf: URL(filePath: list(of: stack)))
                #expect(try JSONDecoder().decode([KeptErasure].self, from: kept).count == 1)
                await stack.kill9(.orders)
                for service in [ServiceName.orders, .partners, .desk] { try await stack.start(service) }
                try await stack.admin(["customer", "erase", "mette", "--yes"])
                for word in ["mette", reference] { try await expectNothing(of: word, in: stack) }
                await #expect(throws: ProcessStack.Broken.self) {
                    try await stack.admin(["customer", "export", "mette"])
                }

                try await stack.admin(["rebuild-streams", "--yes"])
                for word in ["mette", reference] { try await expectNothing(of: word, in: stack) }

                // The courier of the other customer's delivery, whose row stays.
                try await stack.admin(["courier", "erase", Self.courier, "--yes"])
                for word in Self.courierWords { try await expectNothing(of: word, in: stack) }

                try await restore(stack)
                for word in ["mette", reference] + Self.courierWords { try await expectNothing(of: word, in: stack) }
                for one in ended where one.delivery.customer?.rawValue == "jonas" {
                    let _: TimelineOnly = try await stack.asOperator
                        .get(.orders, "/v1/deliveries/\(one.delivery.id)/timeline")
                }
                await #expect(throws: Never.self) { try await stack.admin(["customer", "export", "jonas"]) }
            }
        }

        private struct TimelineOnly: Decodable {}

        private struct KeptErasure: Decodable {
            let person: String
        }

        private func list(of stack: ProcessStack) -> String { "\(stack.folder)/erasures.json" }

        /// Renews the list that is kept, as an administrator's cron job does.
        private func keepList(_ stack: ProcessStack) async throws {
            try await stack.admin(["customer", "erasures", "list", "--keep", list(of: stack)])
        }

        /// Restores the back-up from before the erasure, and gives it the list of erasures.
        private func restore(_ stack: ProcessStack) async throws {
            try await keepList(stack)
            for service in ServiceName.allCases { await stack.kill9(service) }
            try await stack.postgres.execute(Self.restored)
            for service in ServiceName.allCases { try await stack.start(service) }
            await #expect(throws: Never.self) { try await stack.admin(["customer", "export", "mette"]) }
            // The restored database has none of the erasures; the list keeps them.
            try await keepList(stack)
            try await stack.admin([
                "customer", "erasures", "apply", list(of: stack), "--key-file",
                "\(stack.folder)/secrets/erasure-keys", "--yes",
            ])
        }

        /// Copies every table of the services.
        private static let backUp = """
            DO $$
            DECLARE
                place record;
            BEGIN
                FOR place IN SELECT relnamespace::regnamespace::text AS schema, relname AS name FROM pg_class
                    WHERE relkind = 'r' AND relnamespace::regnamespace::text IN (\(schemas))
                LOOP
                    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', 'saved_' || place.schema);
                    EXECUTE format('CREATE TABLE %I.%I AS TABLE %I.%I', 'saved_' || place.schema, place.name,
                        place.schema, place.name);
                END LOOP;
            END $$
            """

        /// Puts the copies in the place of what the tables have.
        private static let restored = """
            DO $$
            DECLARE
                place record;
                columns text;
            BEGIN
                SET LOCAL session_replication_role = replica;
                FOR place IN SELECT substr(relnamespace::regnamespace::text, 7) AS schema, relname AS name FROM pg_class
                    WHERE relkind = 'r' AND relnamespace::regnamespace::text LIKE 'saved\\_%'
                LOOP
                    SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
                    WHERE attrelid = format('%I.%I', place.schema, place.name)::regclass AND attnum > 0
                        AND NOT attisdropped AND attgenerated = '';
                    EXECUTE format('DELETE FROM %I.%I', place.schema, place.name);
                    EXECUTE format('INSERT INTO %1$I.%2$I (%3$s) OVERRIDING SYSTEM VALUE SELECT %3$s FROM %4$I.%2$I',
                        place.schema, place.name, columns, 'saved_' || place.schema);
                END LOOP;
            END $$
            """

        /// Fails with the tables that have the word in any column, in documents and in bytes too.
        private func expectNothing(of word: String, in stack: ProcessStack) async throws {
            try await eventually("messages are sent") {
                (try? await stack.postgres.execute(Self.isSent)) != nil
            }
            try await stack.postgres.execute(
                """
                DO $$
                DECLARE
                    place record;
                    found bigint;
                    places text := '';
                BEGIN
                    FOR place IN SELECT table_schema, table_name FROM information_schema.tables
                        WHERE table_schema IN (\(Self.schemas)) AND table_type = 'BASE TABLE'
                    LOOP
                        EXECUTE format('SELECT count(*) FROM %I.%I AS kept WHERE strpos(kept::text, $1) > 0
                            OR strpos(kept::text, encode(convert_to($1, ''UTF8''), ''hex'')) > 0',
                            place.table_schema, place.table_name) INTO found USING '\(word)';
                        IF found > 0 THEN
                            places := places || format(' %s rows of %s.%s;', found, place.table_schema, place.table_name);
                        END IF;
                    END LOOP;
                    IF places <> '' THEN RAISE EXCEPTION '\(word) is in%', places; END IF;
                END $$
                """)
        }

        /// Fails while an outbox has a message.
        private static let isSent = """
            DO $$
            BEGIN
                IF EXISTS (SELECT FROM orders.outbox) OR EXISTS (SELECT FROM courier_eta.outbox)
                    OR EXISTS (SELECT FROM activity_dispatch.outbox) OR EXISTS (SELECT FROM partners.outbox)
                THEN RAISE EXCEPTION 'messages wait'; END IF;
            END $$
            """
    }
}
