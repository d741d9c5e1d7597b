import DomainTime
import DoorstepAPI
import Foundation
import PostgresClient
import TestSupport

@testable import ServiceRuntime

/// A recorder over a table of its own, and reads for it.
enum RecordedReads {
    struct Subject {
        let pool: PostgresPool
        let clock = ManualClock(Date(timeIntervalSince1970: 1_795_284_000))
        let recorder: PersonalReadRecorder

        init(_ pool: PostgresPool, keptDays: Int, memoryMax: Int) {
            self.pool = pool
            recorder = PersonalReadRecorder(
                pool: pool, clock: clock.domain, keptDays: keptDays, memoryMax: memoryMax, logger: .silent)
        }

        func rows(_ filter: PersonalReadLog.Filter = .init()) async throws -> [PersonalReadBody] {
            try await recorder.log.list(filter).reads
        }
    }

    static let getDelivery = PersonalReads.Operation.one("getDelivery", .dropOff)
    static let listDeliveries = PersonalReads.Operation.list("listDeliveries", .dropOff)

    static func read(
        _ operation: PersonalReads.Operation, by reader: String = "ada", _ role: Role = .operator,
        deliveries: [String], customer: String? = nil
    ) -> PersonalRead {
        PersonalRead(
            role: role, reader: reader,
            subject: String(reader.split(separator: "(").last?.split(separator: ")").first ?? ""),
            operation: operation,
            persons: Persons(deliveries.map { Persons(customer: customer, delivery: $0) }))
    }

    static func run(
        keptDays: Int = PersonalReadLog.readsDays, memoryMax: Int = PersonalReadRecorder.memoryMax,
        _ body: @Sendable (Subject) async throws -> Void
    ) async throws {
        try await withPool(TestPostgres.current) { pool in
            try await pool.withTransaction { try await $0.executeScript(PersonalReadLog.migration) }
            try await body(Subject(pool, keptDays: keptDays, memoryMax: memoryMax))
        }
    }
}
