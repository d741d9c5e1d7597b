import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Positions that providers report", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct IngestPositionTests {
    @Test(
        "A position without a courier moves the reporting provider's own courier, and no other",
        arguments: [
            ("anna", "uber", false), ("doordash-7", "uber", false), ("uber-7", "uber", true),
            ("anna", "cloudevents", true), ("anna", nil, true),
        ] as [(String, String?, Bool)])
    func nameless(courier: String, source: String?, isStored: Bool) async throws {
        try await Harness.run { harness in
            let id = try #require(CourierID(rawValue: courier))
            var delivery = try Delivery.sample()
            try delivery.change(.courier(Courier(id: id, name: "Anna", vehicle: .car, phone: nil)), at: 0)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 0))
            harness.move(to: 10)
            let ingest = IngestPosition(
                pool: harness.pool, clock: harness.wall.domain,
                ingest: IngestFixes.groupCommit { try await harness.parts.ingestFixes($0) })
            let position = ProviderPosition(
                delivery: delivery.id, courier: nil, source: source.flatMap(ProviderID.init(rawValue:)),
                coordinate: doorPlace, at: seconds(5))
            for outcome in await ingest([position]) { try outcome.get() }
            let fixes = try await harness.pool.query("SELECT FROM fixes WHERE courier_id = \(id)")
            #expect(fixes.count == (isStored ? 1 : 0))
        }
    }

    @Test(
        "A source of one store moves no courier who also brings another store's delivery, unless the id is its own",
        arguments: [
            ("cloudevents", nil, ["nordhavn", "valby"], false), ("cloudevents", nil, ["nordhavn"], true),
            ("cloudevents", "cloudevents-velo_7", ["nordhavn", "valby"], true),
            ("doordash", nil, ["nordhavn", "valby"], false), ("doordash", nil, ["nordhavn"], true),
            ("doordash", "doordash-7", ["nordhavn", "valby"], false), ("doordash", "doordash-7", ["nordhavn"], true),
        ] as [(String, String?, [String], Bool)])
    func ofOneStore(source: String, named: String?, stores: [String], isStored: Bool) async throws {
        try await Harness.run { harness in
            let id = try #require(CourierID(rawValue: named ?? "\(source)-7"))
            var deliveries: [Delivery] = []
            for store in stores {
                var delivery = try Delivery.sample(store: store)
                try delivery.change(.courier(Courier(id: id, name: "Anna", vehicle: .car, phone: nil)), at: 0)
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 0))
                deliveries.append(delivery)
            }
            harness.move(to: 10)
            let ingest = IngestPosition(
                pool: harness.pool, clock: harness.wall.domain,
                ingest: IngestFixes.groupCommit { try await harness.parts.ingestFixes($0) })
            let position = ProviderPosition(
                delivery: deliveries[0].id, courier: named == nil ? nil : id, source: ProviderID(rawValue: source),
                store: deliveries[0].store.id, coordinate: doorPlace, at: seconds(5))
            for outcome in await ingest([position]) { try outcome.get() }
            #expect(try await harness.pool.query("SELECT FROM fixes").count == (isStored ? 1 : 0))
        }
    }

    @Test("A position that was measured more than an hour ago is not kept", arguments: [(3_599.0, 1), (3_601, 0)])
    func old(ageSeconds: Double, rows: Int) async throws {
        try await Harness.run { harness in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 3_700)
            let ingest = IngestPosition(
                pool: harness.pool, clock: harness.wall.domain,
                ingest: IngestFixes.groupCommit { try await harness.parts.ingestFixes($0) })
            let position = ProviderPosition(
                delivery: delivery.id, courier: mira.id, coordinate: doorPlace, at: seconds(3_700 - ageSeconds))
            for outcome in await ingest([position]) { try outcome.get() }
            #expect(try await harness.pool.query("SELECT FROM fixes").count == rows)
        }
    }

    @Test(
        "A position from after the end of the courier's last delivery is not kept, and one from before it is",
        arguments: [(50.0, 1), (200, 0)])
    func offDuty(measuredAt: Double, rows: Int) async throws {
        try await Harness.run { harness in
            var delivery = try await harness.learnDelivery(in: .enRoute)
            try delivery.change(.status(.delivered, reason: nil), at: 60)
            harness.move(to: 60)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 60))
            harness.move(to: 200)
            let ingest = IngestPosition(
                pool: harness.pool, clock: harness.wall.domain,
                ingest: IngestFixes.groupCommit { try await harness.parts.ingestFixes($0) })
            let position = ProviderPosition(
                delivery: delivery.id, courier: mira.id, coordinate: doorPlace, at: seconds(measuredAt))
            for outcome in await ingest([position]) { try outcome.get() }
            #expect(try await harness.pool.query("SELECT FROM fixes").count == rows)
        }
    }
}
