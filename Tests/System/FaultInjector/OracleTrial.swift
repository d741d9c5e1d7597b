import DoorstepAPI
import EmulatorAPI
import FaultInjection
import Foundation
import Glibc
import OrderDomain
import PostgresClient
import SimulationSupport
import TestSupport

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
    private static let report =
        "(SELECT max(timeline_id) FROM orders.timeline WHERE report_id IS NOT NULL AND NOT is_inferred)"
    /// A courier of the shop's own: what providers say of theirs is not in the ledger.
    private static let courier = "(SELECT min(courier_id) FROM courier_eta.fixes WHERE courier_id LIKE 'courier-%')"
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
            name: "a report is deleted", kind: .reportLost,
            plant: [
                "CREATE TABLE public.planted AS SELECT * FROM orders.timeline WHERE timeline_id = \(report)",
                "DELETE FROM orders.timeline WHERE timeline_id = \(report)",
            ],
            undo: [
                "INSERT INTO orders.timeline OVERRIDING SYSTEM VALUE SELECT * FROM public.planted ON CONFLICT DO NOTHING",
                "DROP TABLE public.planted",
            ]),
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
                "CREATE TABLE public.planted AS SELECT * FROM courier_eta.fixes WHERE courier_id = \(courier)",
                "DELETE FROM courier_eta.fixes WHERE courier_id = \(courier)",
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
        for (name, plant) in [
            ("a device misses a push", missedPush), ("a phone misses a push", missedPushOnPhones),
            ("an event never arrives", missedEvent),
        ] {
            parts.log.line("planted: \(name)")
            if try await !plant() { unnoticed.append(name) }
        }
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
        let violations = unnoticed.map { Violation(.answer, "the oracle did not name what was planted: \($0)") }
        for violation in violations { parts.log.line("VIOLATION \(violation)") }
        return violations
    }

    private func execute(_ statements: [String]) async throws {
        for statement in statements { _ = try await parts.database.pool.execute(SQL(raw: statement)) }
    }

    /// Whether the oracle names a violation of a kind, of one of these where names are given.
    private func isNamed(_ kind: Violation.Kind, ofAny names: [String] = [""]) async throws -> Bool {
        await parts.reader.forget()
        let violations = Oracle(await parts.book.ledger, try await parts.reader.read(parts.book)).violations
        return violations.contains { violation in
            violation.kind == kind && names.contains { violation.what.hasPrefix($0) }
        }
    }

    /// Has every device vanish while a delivery changes.
    private func missedPush() async throws -> Bool {
        await parts.devices.disconnectAll()
        _ = try await changeLive()
        return try await isNamed(.cardBehind)
    }

    /// Has every phone lose its network while a delivery of its customer changes.
    private func missedPushOnPhones() async throws -> Bool {
        let phones = parts.phones
        for phone in phones.ids { try await phones.phones.act(.goOffline, on: phone) }
        for phone in phones.ids { _ = try await changeLive(of: phones.customer(of: phone)) }
        let isNamed = try await isNamed(.cardBehind, ofAny: phones.ids)
        for phone in phones.ids { try await phones.phones.act(.goOnline, on: phone) }
        return isNamed
    }

    /// Has the receiver take nothing while a delivery changes.
    private func missedEvent() async throws -> Bool {
        parts.receiver.set(.refusingAll)
        defer { parts.receiver.set(.acceptingAll) }
        guard let delivery = try await changeLive() else { return false }
        return try await isNamed(.eventLost, ofAny: [delivery.rawValue])
    }

    /// Changes a delivery that has not ended.
    ///
    /// - Parameter customer: whose it is; anybody's where it is left out.
    /// - Returns: nil where there is none.
    private func changeLive(of customer: String? = nil) async throws -> DeliveryID? {
        await parts.gate.open()
        var changed: DeliveryID?
        for name in await parts.book.ledger.deliveries.reversed() {
            guard let id = DeliveryID(rawValue: name) else { continue }
            let body = try await parts.shop.delivery(id)
            guard body.endedAt == nil, customer.map({ $0 == body.customer?.rawValue }) ?? true else { continue }
            guard try await parts.shop.hold(id) != nil else { continue }
            changed = id
            break
        }
        await parts.gate.close()
        return changed
    }
}
