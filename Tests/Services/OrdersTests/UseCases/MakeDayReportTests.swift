import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Making a day's report", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct MakeDayReportTests {
    private static func waitingReads(_ orders: OrdersUnderTest) async throws -> Int {
        try await orders.pool.query(
            "SELECT count(*) AS count FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass"
        )[0].decode("count")
    }

    @Test("Those who ask at once for the same day share one reading")
    func shared() async throws {
        try await OrdersUnderTest.run { orders, _ in
            let make = MakeDayReport(pool: orders.pool, clock: orders.clock.domain)
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await orders.pool.withTransaction { transaction in
                        try await transaction.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
                        for await _ in gate {}
                    }
                }
                try await eventually("the table is locked") {
                    try await orders.pool.query(
                        """
                        SELECT count(*) AS count FROM pg_locks
                        WHERE granted AND relation = 'orders'::regclass AND mode = 'AccessExclusiveLock'
                        """)[0].decode("count", as: Int.self) == 1
                }
                for _ in 0..<4 { group.addTask { _ = try await make(.today, of: nil) } }
                try await eventually("one reads, and the others wait for it") {
                    guard make.reads.waiting(for: .init(day: .today, store: nil)) == 3 else { return false }
                    return try await Self.waitingReads(orders) == 1
                }
                opening.finish()
                try await group.waitForAll()
            }
        }
    }

    @Test("Early and late are by the first promise, and as the metric counts them; shown arrivals have their errors")
    func figures() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0]
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.accepted, .picking, .staged, .pickedUp, .enRoute], placed.id, client)
            let end = placed.promise.end
            let moved = try #require(Promise(start: end, end: end + 7_200))
            _ = try await orders.change(placed.id, .promise(moved), by: Principal(.operator("ada")))
            orders.clock.advance(by: end.timeIntervalSince(orders.clock.now) + 600)
            let current = try #require(try await OrderRepository.delivery(placed.id, on: orders.pool)).delivery
            try await orders.messages.handle(
                EstimateChanged(
                    delivery: placed.id, version: current.version, step: 9,
                    estimate: Estimate(arrivesAt: end, earliest: end, latest: end, madeAt: end),
                    courier: try #require(CourierID(rawValue: "mira")), lastFixAt: nil,
                    errors: [
                        .init(horizon: "10m", seconds: -100), .init(horizon: "last", seconds: 30),
                        .init(horizon: "10m", seconds: 41),
                    ]))
            try await orders.set(.delivered, placed.id, client)
            let make = MakeDayReport(pool: orders.pool, clock: orders.clock.domain)
            let report = try #require(try await make(.today, of: nil))
            for figures in [report.figures] + report.stores.map(\.figures) + report.couriers.map(\.figures) {
                #expect(figures.delivered == 1 && figures.late.upTo15Minutes == 1 && figures.inWindow == 0)
                #expect(figures.lastEstimate == .init(arrivals: 1, meanSeconds: 30))
                #expect(figures.tenMinuteEstimate == .init(arrivals: 2, meanSeconds: 71))
            }
            let metrics = orders.metrics.exposition()
            #expect(metrics.contains(#"doorstep_deliveries_ended_total{status="delivered",window="late"} 1"#))
            let board: BoardBody = try await orders.send(
                client, .get, "/v1/deliveries?status=delivered", as: .operator, "ada"
            ).decode()
            #expect(board.deliveries.map(\.lateMinutes) == [10])
        }
    }
}
