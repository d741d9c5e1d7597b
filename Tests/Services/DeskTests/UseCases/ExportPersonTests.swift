import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import Desk

@Suite("Customers that are exported at the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExportPersonTests {
    @Test("An archive has when operators noted something, without text and name; a store's has nothing of it")
    func notes() async throws {
        try await DeskUnderTest.run { desk, _ in
            let (own, other) = (DeliveryID(UUID()), DeliveryID(UUID()))
            for (id, note) in [(own, "a note\nof two lines"), (other, "the bell is broken")] {
                try await desk.pool.execute(
                    """
                    INSERT INTO triage (delivery_id, note, owner, changed_by, changed_at, version)
                    VALUES (\(id.rawValue), \(note), 'ottilie', 'ottilie', now(), 1)
                    """)
            }
            func exported(for store: StoreID?) async throws -> [ArchiveSection: [String]] {
                let request = ExportRequest(
                    request: UUID(), person: .customer(try #require(CustomerID(rawValue: "mette"))), store: store,
                    deliveries: [.init(delivery: own, episode: 1)], isLast: true, cursor: nil)
                return try await exportedRecords(request, by: ExportPerson([ExportRecords.source(on: desk.pool)]))
            }
            let records = try await exported(for: nil)
            let note = try #require(records[.notes]?.first)
            #expect(records[.notes]?.count == 1 && note.contains(own.rawValue))
            for secret in ["two lines", "ottilie"] { #expect(!note.contains(secret)) }
            let store = try #require(StoreID(rawValue: "nordhavn"))
            #expect(try await exported(for: store).isEmpty)
            #expect(try await ArchiveChecker.faults(of: records) == [])
        }
    }
}
