import DoorstepAPI
import FaultInjection
import Foundation
import Glibc
import OrderDomain
import PostgresClient
import SimulationSupport

/// Plants faults in a stack in which everything is right, one after another, and expects the oracle to name each.
///
/// What the oracle makes of a snapshot has its own tests; this shows that a snapshot has what it needs.
struct OracleTrial: Sendable {
    let parts: RunParts

    private struct Planted: Sendable {
        let name: String
        let kind: Violation.Kind
        let plant: [String]
        let undo: [String]
    }

    private static let line = "(SELECT max(timeline_id) FROM orders.timeline WHERE reason LIKE 'mark-%')"
    private static let columns = "delivery_id, at, version, kind, what, changed_by, reason"
    private static let activity = "(SELECT min(activity_id) FROM activity_dispatch.activities WHERE NOT is_ended)"
    private static let order = "order_id, reference, customer_id, store_id, placed_at, snapshot"

    private static let planted = [
        Planted(
            name: "a line of a timeline is deleted", kind: .changeLost,
            plant: [
                "CREATE TABLE public.planted AS SELECT * FROM orders.timeline WHERE timeline_id = \(line)",
                "DELETE FROM orders.timeline WHERE timeline_id = \(line)",
            ],
            undo: [
                "INSERT INTO orders.timeline OVERRIDING SYSTEM VALUE SELECT * FROM public.planted",
                "DROP TABLE public.planted",
            ]),
        Planted(
            name: "a line of a timeline is there twice", kind: .changeDoubled,
            plant: [
                "INSERT INTO orders.timeline (\(columns)) SELECT \(columns) FROM orders.timeline WHERE timeline_id = \(line)"
            ],
            undo: ["DELETE FROM orders.timeline WHERE timeline_id = \(line)"]),
        Planted(
            name: "an order is there twice", kind: .orderDoubled,
            plant: [
                """
                INSERT INTO orders.orders (\(order)) SELECT 'planted', reference, customer_id, store_id, placed_at, snapshot
                    FROM orders.orders LIMIT 1
                """
            ],
            undo: ["DELETE FROM orders.orders WHERE order_id = 'planted'"]),
        Planted(
            name: "a fix is deleted", kind: .fixLost,
            plant: [
                """
                CREATE TABLE public.planted AS SELECT * FROM courier_eta.fixes
                    WHERE courier_id = (SELECT min(courier_id) FROM courier_eta.fixes)
                """,
                "DELETE FROM courier_eta.fixes WHERE courier_id = (SELECT min(courier_id) FROM courier_eta.fixes)",
            ],
            undo: ["INSERT INTO courier_eta.fixes SELECT * FROM public.planted", "DROP TABLE public.planted"]),
        Planted(
            name: "a row is left in an outbox", kind: .backlog,
            plant: [
                """
                INSERT INTO orders.outbox (outbox_id, subject, payload, headers, leased_until)
                    VALUES (gen_random_uuid(), 'planted', '', '{}', 'infinity')
                """
            ],
            undo: ["DELETE FROM orders.outbox WHERE subject = 'planted'"]),
        Planted(
            name: "there is a dead letter", kind: .counter,
            plant: [
                """
                INSERT INTO activity_dispatch.dead_letters (origin, subject, payload, headers, error, attempts)
                    VALUES ('message', 'planted', '', '{}', 'planted', 1)
                """
            ],
            undo: ["DELETE FROM activity_dispatch.dead_letters WHERE subject = 'planted'"]),
        Planted(
            name: "a wanted state is of another version", kind: .wantedWrong,
            plant: [
                "CREATE TABLE public.planted AS SELECT \(activity) AS id",
                """
                UPDATE activity_dispatch.activities SET version = version + 1000
                    WHERE activity_id = (SELECT id FROM public.planted)
                """,
            ],
            undo: [
                """
                UPDATE activity_dispatch.activities SET version = version - 1000
                    WHERE activity_id = (SELECT id FROM public.planted)
                """,
                "DROP TABLE public.planted",
            ]),
        Planted(
            name: "a card is behind", kind: .backlog,
            plant: [
                """
                CREATE TABLE public.planted AS SELECT card_id FROM activity_dispatch.cards WHERE state = 'active' LIMIT 1
                """,
                """
                UPDATE activity_dispatch.cards SET behind_since = clock_timestamp(), reason = 'planted'
                    WHERE card_id = (SELECT card_id FROM public.planted)
                """,
            ],
            undo: [
                """
                UPDATE activity_dispatch.cards SET behind_since = NULL, reason = 'up_to_date'
                    WHERE card_id = (SELECT card_id FROM public.planted)
                """,
                "DROP TABLE public.planted",
            ]),
    ]

    /// - Returns: a violation for each planted fault that was not named.
    func callAsFunction() async throws -> [Violation] {
        var unnoticed: [String] = []
        for one in Self.planted {
            try await execute(one.plant)
            if try await !isNamed(one.kind) { unnoticed.append(one.name) }
            try await execute(one.undo)
            parts.log.line("planted: \(one.name)")
        }
        parts.log.line("planted: a device misses a push")
        if try await !missedPush() { unnoticed.append("a device misses a push") }
        // These cannot be undone, so they come last.
        parts.log.line("planted: a process ends by itself")
        await parts.stack.processes.signal("courier-eta-1", SIGKILL)
        try await eventually("the end is noted") { await !parts.stack.processes.unexpectedExits.isEmpty }
        let replica = ProcessStack.Replica(service: .courierETA, number: 1)
        try await parts.stack.processes.launch(replica)
        try await parts.stack.processes.isReady(replica)
        if try await !isNamed(.exit) { unnoticed.append("a process ends by itself") }
        parts.log.line("planted: a log says that something broke")
        let log = try FileHandle(forWritingTo: URL(filePath: "\(parts.stack.processes.folder)/orders-1.log"))
        try log.seekToEnd()
        try log.write(contentsOf: Data("{\"level\":\"critical\",\"message\":\"planted\"}\n".utf8))
        if try await !isNamed(.log) { unnoticed.append("a log says that something broke") }
        return unnoticed.map { Violation(.answer, "the oracle did not name what was planted: \($0)") }
    }

    private func execute(_ statements: [String]) async throws {
        for statement in statements { _ = try await parts.database.pool.execute(SQL(raw: statement)) }
    }

    /// Whether the oracle names a violation of a kind.
    private func isNamed(_ kind: Violation.Kind) async throws -> Bool {
        await parts.reader.forget()
        let violations = Oracle(await parts.book.ledger, try await parts.reader.read(parts.book)).violations
        return violations.contains { $0.kind == kind }
    }

    /// Has every device vanish while a delivery changes.
    private func missedPush() async throws -> Bool {
        let ledger = await parts.book.ledger
        let shop = Shop(stack: parts.stack, book: parts.book, gate: parts.gate)
        await parts.gate.open()
        for name in ledger.deliveries.reversed() {
            guard let id = DeliveryID(rawValue: name), try await shop.delivery(id).endedAt == nil else { continue }
            await parts.devices.disconnectAll()
            _ = try await shop.hold(id)
            break
        }
        await parts.gate.close()
        return try await isNamed(.cardBehind)
    }
}
