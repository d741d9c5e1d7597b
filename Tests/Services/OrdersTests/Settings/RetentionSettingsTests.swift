import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ProcessSettings
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Retention by settings", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct RetentionSettingsTests {
    private func read(_ environment: [String: String]) async throws -> RetentionTimes {
        try RetentionTimes(
            reading: try await readSettings(service: "orders", arguments: [], environment: environment))
    }

    @Test("Without a setting the times are the defaults; a set one is used")
    func read() async throws {
        #expect(try await read([:]) == RetentionTimes())
        #expect(
            try await read(["RETENTION_DROP_OFF_DAYS": "3650", "RETENTION_ORDERS_DAYS": "3650"]).dropOffDays == 3_650)
        #expect(try await read(["RETENTION_IMAGES_DAYS": "2"]).imagesDays == 2)
    }

    @Test(
        "A time below what late messages need, above ten years, or that is no number of days stops the start",
        arguments: ["1", "0", "-3", "3651", "30.5", "thirty", "99999999999999999999"])
    func refused(text: String) async throws {
        let refused = try await #require(throws: ConfigurationError.self) {
            try await read(["RETENTION_DROP_OFF_DAYS": text])
        }
        #expect(refused.key == "retention.dropOffDays")
        #expect(refused.problem == "is \"\(text)\", not a whole number from 2 to 3650")
    }

    @Test(
        "What belongs to an order is kept no longer than the order",
        arguments: [
            ("RETENTION_DROP_OFF_DAYS", "dropOffDays"), ("RETENTION_IMAGES_DAYS", "imagesDays"),
            ("RETENTION_TIMELINE_DAYS", "timelineDays"), ("RETENTION_ANSWERS_DAYS", "answersDays"),
        ])
    func withinOrder(variable: String, name: String) async throws {
        #expect(try await read([variable: "90"]).ordersDays == 90)
        let refused = try await #require(throws: ConfigurationError.self) { try await read([variable: "91"]) }
        #expect(refused.key == "retention.\(name)")
        #expect(refused.problem == "is 91, more than the 90 of retention.ordersDays, with which it ends")
        #expect(try await read([variable: "91", "RETENTION_ORDERS_DAYS": "91"]).ordersDays == 91)
    }

    @Test("Rows are deleted by the times that are set, photos and addresses each by its own")
    func deleted() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.note = "third floor"
            let id = try await orders.place(client, body).deliveries[0].id
            try await orders.pool.execute(
                """
                INSERT INTO proof_images (delivery_id, content_hash, format, sealed)
                VALUES (\(id.rawValue), 'hash', 'png', 'sealed')
                """)
            try await orders.set(.cancelled, id, client)
            func left() async throws -> [Int] {
                let row = try await orders.pool.query(
                    """
                    SELECT (SELECT count(*) FROM proof_images) AS images, (
                        SELECT count(*) FROM deliveries WHERE delivery_id = \(id.rawValue) AND drop_off IS NOT NULL
                    ) AS notes, (SELECT count(*) FROM idempotency_keys) AS answers
                    """)[0]
                return [try row.decode("images"), try row.decode("notes"), try row.decode("answers")]
            }
            let now = OrdersUnderTest.start.addingTimeInterval(5 * 86_400 + 1)
            try await ExpiredRows.delete(on: orders.pool, at: now)
            #expect(try await left() == [1, 1, 1])
            try await ExpiredRows.delete(on: orders.pool, at: now, keeping: RetentionTimes(imagesDays: 5))
            #expect(try await left() == [0, 1, 1])
            try await ExpiredRows.delete(on: orders.pool, at: now, keeping: RetentionTimes(dropOffDays: 5))
            #expect(try await left() == [0, 0, 1])
            try await orders.pool.execute("UPDATE idempotency_keys SET created_at = now() - interval '3 days'")
            try await ExpiredRows.delete(on: orders.pool, at: now, keeping: RetentionTimes(answersDays: 4))
            #expect(try await left() == [0, 0, 1])
            try await ExpiredRows.delete(on: orders.pool, at: now)
            #expect(try await left() == [0, 0, 0])
        }
    }
    @Test("The stored answer goes with its order, however long answers are kept")
    func answers() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set(.cancelled, id, client)
            try await ExpiredRows.delete(
                on: orders.pool, at: OrdersUnderTest.start.addingTimeInterval(15 * 86_400),
                keeping: RetentionTimes(ordersDays: 14, timelineDays: 14, answersDays: 14))
            #expect(try await orders.pool.query("SELECT FROM orders").isEmpty)
            #expect(try await orders.pool.query("SELECT FROM idempotency_keys").isEmpty)
        }
    }
}
