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
    @Test("An archive has the notes about the customer's deliveries, without the operator's name, and no others")
    func notes() async throws {
        try await DeskUnderTest.run { desk, _ in
            let (own, other) = (DeliveryID(UUID()), DeliveryID(UUID()))
            for (id, note) in [(own, "a note\nof two lines"), (other, "the bell is broken")] {
                try await desk.pool.execute(
                    """
                    INSERT INTO triage (delivery_id, note, owner, changed_by, changed_at, version)
                    VALUES (\(id.rawValue), \(note), 'ada', 'ada', now(), 1)
                    """)
            }
            let request = ExportRequest(
                request: UUID(), customer: try #require(CustomerID(rawValue: "mette")), store: nil,
                deliveries: [.init(delivery: own, episode: 1)], isLast: true, cursor: nil)
            let records = try await exportedRecords(request, by: ExportPerson([ExportRecords.source(on: desk.pool)]))
            let note = try #require(records[.notes]?.first)
            #expect(records[.notes]?.count == 1)
            #expect(note.contains(#"a note\nof two lines"#) && !note.contains("\n") && !note.contains("ada"))
            #expect(try ArchiveChecker.faults(of: records) == [])
        }
    }
}
