import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("Customers that are exported", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExportPersonTests {
    @Test("An archive has each known delivery's arrival, without a position and in order")
    func exported() async throws {
        try await Harness.run { harness in
            let deliveries = try (0..<25).map { _ in try Delivery.sample(in: .delivered, at: 60) }
            for delivery in deliveries.dropLast() {
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 60))
            }
            let request = ExportRequest(
                request: UUID(), customer: deliveries[0].customer, store: nil,
                deliveries: deliveries.map { .init(delivery: $0.id, episode: 1) }, isLast: true, cursor: nil)
            let records = try await exportedRecords(
                request, by: ExportPerson([ExportRecords.source(on: harness.pool)]))
            let known = deliveries.dropLast().map(\.id.rawValue).sorted()
            let arrivals = records[.arrivals] ?? []
            #expect(arrivals.count == known.count)
            for (record, id) in zip(arrivals, known) { #expect(record.contains(id)) }
            #expect(!arrivals.joined().contains("itude"))
            #expect(try ArchiveChecker.faults(of: records) == [])
        }
    }
}
