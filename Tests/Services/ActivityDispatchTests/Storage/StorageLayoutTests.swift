import Foundation
import LiveActivity
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("The tables of activity-dispatch", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct StorageLayoutTests {
    @Test("Every reference has an index, so that a deletion scans no table")
    func references() async throws {
        try await DispatchUnderTest.run { service in
            let references = try await referencesWithoutIndex(service.pool)
            #expect(references.isEmpty, "\(references)")
        }
    }

    @Test("No index has a column that a change of a live activity, or a push, changes")
    func updatesInPlace() async throws {
        try await DispatchUnderTest.run { service in
            let rows = try await service.pool.query(
                """
                SELECT DISTINCT relname || '.' || attname AS name
                FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
                    JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
                WHERE relnamespace = current_schema()::regnamespace AND relname IN ('activities', 'device_events')
                """)
            let indexed = Set(try rows.map { try $0.decode("name", as: String.self) })
            #expect(
                indexed.isDisjoint(with: [
                    "activities.wanted", "activities.version", "activities.step", "activities.wanted_at",
                    "activities.traceparent", "device_events.sequence", "device_events.data",
                    "device_events.start_data",
                ]))
            #expect(indexed.isSuperset(of: ["activities.ended_at", "device_events.card_id"]))
        }
    }
}
