import DomainTime
import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("Persons that are exported", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExportPersonTests {
    @Test("An archive has each known delivery's arrival, without a position and in order")
    func exported() async throws {
        try await Harness.run { harness in
            let deliveries = try (0..<25).map { _ in try Delivery.sample(in: .delivered, at: 60) }
            for delivery in deliveries.dropLast() {
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 60))
            }
            let request = ExportRequest(
                request: UUID(), person: .customer(deliveries[0].customer), store: nil,
                deliveries: deliveries.map { .init(delivery: $0.id, episode: 1) }, isLast: true, cursor: nil)
            let records = try await exportedRecords(
                request, by: ExportPerson(ExportRecords.sources(on: harness.pool)))
            let known = deliveries.dropLast().map(\.id.rawValue).sorted()
            let arrivals = records[.arrivals] ?? []
            #expect(arrivals.count == known.count)
            for (record, id) in zip(arrivals, known) { #expect(record.contains(id)) }
            #expect(!arrivals.joined().contains("itude"))
            #expect(try await ArchiveChecker.faults(of: records) == [])
        }
    }

    /// Two couriers with the same phones, duties and positions.
    private static func addCouriers(_ harness: Harness) async throws -> [PhoneToken] {
        let phones = PhoneCache(pool: harness.pool, clock: harness.wall.domain, logger: Logger(label: "test"))
        let manage = ManagePhones(pool: harness.pool, clock: harness.wall.domain, cache: phones)
        var tokens: [PhoneToken] = []
        for name in ["canary-1", "other-1"] {
            let courier = try #require(CourierID(rawValue: name))
            for label in ["\(name)'s phone", "\(name)'s former phone"] {
                let enrolled = try await manage.enrol(nil, label: label, of: courier, by: "operator ada")
                tokens.append(enrolled.token)
                if label.contains("former") {
                    _ = try await manage.revoke(enrolled.phone.id, of: courier, by: "operator ada")
                }
            }
            let duty = ManageDuty(pool: harness.pool, clock: harness.wall.domain)
            try await duty.begin(of: courier, until: nil, by: "operator ada")
            try await ExemptFromMap(pool: harness.pool, clock: harness.wall.domain)
                .set(isShown: false, of: courier, by: "operator ada")
            _ = try await harness.parts.ingestFixes(ride(from: 0, until: 0.1), of: courier)
        }
        return tokens
    }

    @Test("A courier's archive has their positions, duties, phones and exemption from maps, without credentials")
    func courier() async throws {
        try await Harness.run { harness in
            let tokens = try await Self.addCouriers(harness)
            let fixes = try await harness.pool.query("SELECT FROM fixes WHERE courier_id = 'canary-1'").count
            // More than one reading has; those of another phone at the same moments.
            let more = 1_500
            try await harness.pool.execute(
                """
                INSERT INTO fixes (courier_id, phone_id, fixed_at, latitude, longitude, accuracy, received_at)
                SELECT 'canary-1', phone, \(seconds(1_000))::timestamptz + number * interval '1234567 microseconds',
                    12.345678, 55.5, number, \(seconds(9_000)) FROM generate_series(1, \(more)) AS number,
                    unnest(ARRAY['', '00000001-00000002']) AS phone
                """)
            func records(_ person: RequestedPerson, store: StoreID? = nil) async throws -> [ArchiveSection: [String]] {
                try await exportedRecords(
                    ExportRequest(
                        request: UUID(), person: person, store: store, deliveries: [], isLast: true, cursor: nil),
                    by: ExportPerson(ExportRecords.sources(on: harness.pool)))
            }
            let canary = RequestedPerson.courier(try #require(CourierID(rawValue: "canary-1")))
            let archive = try await records(canary)
            #expect(try await ArchiveChecker.faults(of: archive, isCourier: true) == [])
            #expect(fixes > 0 && archive[.positions]?.count == fixes + 2 * more)
            #expect(Set(archive[.positions] ?? []).count == fixes + 2 * more)
            #expect(archive[.positions]?.last?.contains(#""latitude": 12.345678"#) == true)
            #expect(archive[.duties]?.count == 1 && archive[.phones]?.count == 2 && archive[.map]?.count == 1)
            #expect(archive[.map]?.first?.contains("hiddenSinceAt") == true)
            let text = archive.values.joined().joined()
            for label in ["canary-1's phone", "canary-1's former phone"] { #expect(text.contains(label)) }
            for token in tokens { #expect(!text.contains(token.text)) }
            for secret in ["other-1", "operator ada", "hash"] { #expect(!text.contains(secret), "\(secret)") }

            let nordhavn = try #require(StoreID(rawValue: "nordhavn"))
            #expect(try await records(canary, store: nordhavn).isEmpty)
            let unknown = RequestedPerson.courier(try #require(CourierID(rawValue: "unknown")))
            #expect(try await records(unknown).isEmpty)
            let customer = try #require(CustomerID(rawValue: "canary-1"))
            #expect(try await records(.customer(customer)).isEmpty)
        }
    }
}
