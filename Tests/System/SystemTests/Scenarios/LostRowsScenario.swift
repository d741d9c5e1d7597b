import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("A service's database lost what others had published to it")
    struct LostRowsScenario {
        private let basket = Simulation.Basket(customer: "mette", endings: [.delivered])

        /// Seconds of a round; as short as it may be.
        private let settings = ["RESYNC_INTERVAL_SECONDS": "10"]

        @Test("The periodic resync finds what each service lacks, by asking, and publishes it", .timeLimit(.minutes(4)))
        func healed() async throws {
            try await Simulation.run([basket], settings: settings) { simulation in
                var ids: [DeliveryID] = []
                for number in 0..<3 {
                    let run = try await simulation.placeRun(basket, number: number)
                    try await run.prepare()
                    try await run.report(.pickedUp)
                    ids.append(run.id)
                }
                try await withPool(simulation.stack.postgres.configuration) { pool in
                    try await heal(ids, of: simulation, on: pool)
                }
                await simulation.expectNoViolations()
            }
        }

        private func heal(_ ids: [DeliveryID], of simulation: Simulation, on pool: PostgresPool) async throws {
            let ours = ids.map(\.rawValue)
            func count(_ statement: SQL) async throws -> Int {
                try await pool.query(statement).first?.decode("count") ?? 0
            }
            let known: [SQL] = [
                "SELECT count(*) AS count FROM courier_eta.deliveries WHERE delivery_id = ANY(\(ours))",
                """
                SELECT count(*) AS count FROM activity_dispatch.activities
                WHERE delivery_id = ANY(\(ours)) AND version > 0
                """,
                """
                SELECT count(*) AS count FROM orders.deliveries
                WHERE delivery_id = ANY(\(ours)) AND cards_sequence IS NOT NULL
                """,
            ]
            for statement in known {
                try await eventually("everything is known first") { try await count(statement) == 3 }
            }
            let lost = ids[0].rawValue
            try await pool.execute("DELETE FROM courier_eta.deliveries WHERE delivery_id = \(lost)")
            try await pool.execute(
                "UPDATE activity_dispatch.activities SET version = 0, step = 0 WHERE delivery_id = \(lost)")
            try await pool.execute(
                "UPDATE orders.deliveries SET cards_sequence = NULL, cards_count = NULL WHERE delivery_id = \(lost)")
            for statement in known {
                try await eventually("what was lost is known again") { try await count(statement) == 3 }
            }
            for service in ServiceName.messaging {
                let metrics = try await simulation.stack.asOperator.text(service, "/metrics").split(separator: "\n")
                let unanswered = metrics.filter { $0.hasPrefix("doorstep_resync_unanswered_total{") }
                #expect(unanswered.isEmpty, "the broker lets services ask one another: \(unanswered)")
            }
        }
    }
}
