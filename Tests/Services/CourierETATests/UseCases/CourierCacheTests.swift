import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Cache of couriers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierCacheTests {
    private static func fix(at time: Double) -> Fix {
        Fix(time: seconds(time), place: along(time / 900), accuracy: 10, speed: 3.2)
    }

    private static func fix(_ harness: Harness, at time: Double) async throws {
        harness.move(to: time)
        let outcome = try await harness.parts.ingestFixes([fix(at: time)], of: mira.id)
        #expect(outcome.accepted == 1)
    }

    private static func stored(_ delivery: Delivery, _ harness: Harness) async throws -> TrackingState {
        let tracked = try await DeliveryRepository.delivery(delivery.id, on: harness.pool)
        return try #require(tracked).tracking
    }

    @Test("A courier's second fix reads neither the recorded fixes nor the deliveries again")
    func secondFix() async throws {
        try await Harness.run { harness in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            try await Self.fix(harness, at: 300)
            // Whoever read the rows now would know of no earlier fix, and could not decode the delivery.
            try await harness.pool.batch(["DELETE FROM fixes", "UPDATE deliveries SET snapshot = '{}'"])
            try await Self.fix(harness, at: 305)
            let entry = try #require(harness.parts.ingestFixes.cache[mira.id])
            #expect(entry.tracks.followed.believed.map(\.time) == [seconds(300), seconds(305)])
            #expect(entry.deliveries[delivery.id]?.tracked.tracking.lastFixAt == seconds(305))
        }
    }

    @Test("What another process wrote is read before the next fix")
    func otherProcess() async throws {
        try await Harness.run { harness in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            try await Self.fix(harness, at: 300)
            harness.move(to: 310)
            _ = try await harness.another()([Self.fix(at: 310)], of: mira.id)
            var next = delivery
            try next.change(.override(.atDoor, reason: "test"), at: 315)
            try await harness.parts.applyDeliveryChange(next.changed(at: 315))
            try await Self.fix(harness, at: 320)
            let entry = try #require(harness.parts.ingestFixes.cache[mira.id])
            #expect(entry.tracks.followed.believed.map(\.time) == [300, 310, 320].map(seconds))
            #expect(entry.deliveries[delivery.id]?.tracked.delivery.status.code == .atDoor)
        }
    }

    @Test("A courier's row is written once in five seconds of fixes, and every process knows every fix all the same")
    func rowWrites() async throws {
        try await Harness.run { harness in
            func revision() async throws -> Int {
                try await harness.pool.query("SELECT revision FROM couriers")[0].decode("revision")
            }
            try await Self.fix(harness, at: 304)
            let first = try await revision()
            for time in [306, 308.5] { try await Self.fix(harness, at: time) }
            #expect(try await revision() == first)
            harness.move(to: 309)
            _ = try await harness.another()([Self.fix(at: 308.7)], of: mira.id)
            let second = try await revision()
            #expect(second != first)
            try await Self.fix(harness, at: 311)
            let third = try await revision()
            #expect(third != second)
            try await Self.fix(harness, at: 315.9)
            #expect(try await revision() == third)
            try await Self.fix(harness, at: 316)
            #expect(try await revision() != third)
            let all = [304, 306, 308.5, 308.7, 311, 315.9, 316].map { Self.fix(at: $0) }
            #expect(harness.parts.ingestFixes.cache[mira.id]?.tracks.followed == track(of: all))
        }
    }

    @Test("Of two transactions of one process at once neither misses the other's fix", arguments: 0..<10)
    func atOnce(round: Int) async throws {
        try await Harness.run { harness in
            try await Self.fix(harness, at: 304)
            harness.move(to: 307)
            let ingest = harness.parts.ingestFixes
            // Neither gives the courier's row another revision by itself.
            async let late = ingest([Self.fix(at: 298)], of: mira.id)
            async let newest = ingest([Self.fix(at: 306)], of: mira.id)
            #expect(try await [late, newest].map(\.accepted) == [1, 1])
            try await Self.fix(harness, at: 307)
            let all = [298, 304, 306, 307].map { Self.fix(at: $0) }
            #expect(ingest.cache[mira.id]?.tracks.followed == track(of: all))
        }
    }

    @Test("A track is read back the same from one fix a slot, of several hundred that were recorded")
    func readBack() async throws {
        try await Harness.run { harness in
            harness.move(to: 460)
            let fixes = ride(from: 0, until: 0.5, interval: 1)
            _ = try await harness.parts.ingestFixes(fixes, of: mira.id)
            #expect(try await harness.pool.query("SELECT courier_id FROM fixes").count == fixes.count)
            let rows = try await harness.pool.query(CourierRepository.trackFixes(of: [mira.id]))
            #expect((40...56).contains(rows.count))
            let read = try await CourierRepository.track(of: mira.id, on: harness.pool)
            #expect(read == track(of: fixes) && read == harness.parts.ingestFixes.cache[mira.id]?.tracks.followed)
        }
    }

    @Test("What only the newest fix tells is stored every 15 s, and news at once")
    func stored() async throws {
        try await Harness.run { harness in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            var publishedAt: [Date] = []
            var storedAt: [Date] = []
            for time in stride(from: 300.0, through: 420, by: 5) {
                _ = try await harness.published()
                try await Self.fix(harness, at: time)
                let state = try await Self.stored(delivery, harness)
                if try await !harness.published().isEmpty {
                    publishedAt.append(seconds(time))
                    #expect(state.lastFixAt == seconds(time))
                }
                if state.lastFixAt == seconds(time) { storedAt.append(seconds(time)) }
                let lastFixAt = try #require(state.lastFixAt)
                #expect(seconds(time).timeIntervalSince(lastFixAt) < IngestTransaction.unstoredSecondsMax)
            }
            #expect(publishedAt.first == seconds(300))
            #expect(Set(publishedAt).isSubset(of: storedAt))
            #expect(storedAt.count <= 9 + publishedAt.count, "of 25 fixes")
        }
    }
}
