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
            for service in ServiceName.messaging { try await expectAnswers(to: service, in: simulation.stack) }
        }

        /// Expects that the broker lets a service ask the others: each reader has answered, or answers again since.
        ///
        /// On a busy machine one answer may come too late; the reader is asked again half a minute later.
        private func expectAnswers(to service: ServiceName, in stack: ProcessStack) async throws {
            var silent: [String] = []
            try await eventually("every reader answers \(service.rawValue)", explain: { "\(silent)" }) {
                let metrics = try await stack.asOperator.text(service, "/metrics")
                let log = stack.logs["\(service.rawValue)-1", default: ""].split(separator: "\n")
                let unanswered = metrics.matches(of: #/doorstep_resync_unanswered_total\{subject="([^"]+)"/#)
                silent = unanswered.map { String($0.output.1) }.filter { subject in
                    // The newest of the lines that a reader does not answer digests, or answers them again.
                    let newest = log.last { $0.contains(" digests") && $0.contains("\"\(subject)\"") }
                    return newest?.contains("A reader answers digests again") != true
                }
                return silent.isEmpty
            }
        }
    }
}
