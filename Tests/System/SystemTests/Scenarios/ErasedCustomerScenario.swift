import DoorstepAPI
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("A customer is erased")
    struct ErasedCustomerScenario {
        @Test("Nothing that names the customer is in any schema any more, nor comes back, and others keep theirs")
        func erased() async throws {
            let baskets = ["mette", "jonas"].map { Simulation.Basket(customer: $0, endings: [.delivered]) }
            try await Simulation.run(baskets, rate: 240) { simulation in
                let stack = simulation.stack
                let ended = try await simulation.runDeliveries {
                    try await eventually("both are placed") { simulation.progress.count(.pickedUp) >= 1 }
                    // While a delivery is live, and for a day after, erasing is refused.
                    await #expect(throws: ProcessStack.Broken.self) {
                        try await stack.admin(["customer", "erase", "mette", "--yes", "--rebuild-streams"])
                    }
                }
                await #expect(throws: ProcessStack.Broken.self) {
                    try await stack.admin(["customer", "erase", "mette", "--yes"])
                }
                let erased = ended.filter { $0.delivery.customer?.rawValue == "mette" }
                let kept = ended.filter { $0.delivery.customer?.rawValue == "jonas" }
                #expect(erased.count == 1 && kept.count == 1)
                await #expect(throws: Never.self) { try await stack.admin(["customer", "export", "mette"]) }
                try await stack.admin(["customer", "erase", "mette", "--yes", "--rebuild-streams"])

                for one in erased { try await expectNothing(of: "mette", one, in: stack) }
                await #expect(throws: ProcessStack.Broken.self) {
                    try await stack.admin(["customer", "export", "mette"])
                }
                try await stack.admin(["rebuild-streams", "--yes"])
                for one in erased { try await expectNothing(of: "mette", one, in: stack) }
                for one in kept {
                    let _: TimelineOnly = try await stack.asOperator
                        .get(.orders, "/v1/deliveries/\(one.delivery.id)/timeline")
                }
            }
        }

        private struct TimelineOnly: Decodable {}

        /// Fails with the table that names the customer or the delivery.
        private func expectNothing(of customer: String, _ ended: Simulation.Ended, in stack: ProcessStack) async throws
        {
            let ids = [ended.delivery.id.rawValue, ended.delivery.order.rawValue]
            let texts = ids.map { "'\($0)'" }.joined(separator: ", ")
            try await stack.postgres.execute(
                """
                DO $$
                DECLARE
                    place record;
                    word text;
                    found bigint;
                BEGIN
                    FOR place IN SELECT table_schema, table_name FROM information_schema.tables
                        WHERE table_schema IN ('orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners')
                            AND table_type = 'BASE TABLE'
                    LOOP
                        FOREACH word IN ARRAY ARRAY[\(texts), '"customer":"\(customer)"', '"customer": "\(customer)"'] LOOP
                            EXECUTE format('SELECT count(*) FROM %I.%I AS kept WHERE strpos(kept::text, $1) > 0
                                OR strpos(kept::text, encode(convert_to($1, ''UTF8''), ''hex'')) > 0',
                                place.table_schema, place.table_name) INTO found USING word;
                            IF found > 0 THEN
                                RAISE EXCEPTION '% rows of %.% have %', found, place.table_schema, place.table_name, word;
                            END IF;
                        END LOOP;
                    END LOOP;
                    FOR place IN SELECT table_schema, table_name FROM information_schema.columns
                        WHERE column_name = 'customer_id'
                    LOOP
                        EXECUTE format('SELECT count(*) FROM %I.%I WHERE customer_id = $1',
                            place.table_schema, place.table_name) INTO found USING '\(customer)';
                        IF found > 0 THEN
                            RAISE EXCEPTION '% rows of %.%', found, place.table_schema, place.table_name;
                        END IF;
                    END LOOP;
                END $$
                """)
        }
    }
}
