import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient
import SeededRandom
import TestSupport
import Testing

@testable import CourierETA

@Suite("Shuffled, repeated and late", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FixStreamTests {
    /// What is known at the end: the recorded fixes, the track and the estimate.
    struct Known: Hashable {
        let record: [String]
        let track: CourierTrack
        let estimate: Estimate?
    }

    private static func known(_ delivery: DeliveryID, _ harness: Harness) async throws -> Known {
        let rows = try await harness.pool.query(
            """
            SELECT concat_ws(' ', courier_id, phone_id, fixed_at, latitude, longitude, accuracy, speed) AS fix
            FROM fixes ORDER BY courier_id, fixed_at
            """)
        return Known(
            record: try rows.map { try $0.decode("fix") },
            track: try await CourierRepository.track(of: mira.id, on: harness.pool),
            estimate: try await DeliveryRepository.delivery(delivery, on: harness.pool)?.tracking.estimate)
    }

    private static func reset(_ harness: Harness) async throws {
        try await harness.pool.batch([
            "DELETE FROM fixes", "DELETE FROM couriers", "DELETE FROM deliveries", "DELETE FROM outbox",
            "DELETE FROM timers",
        ])
    }

    @Test("A stream that comes shuffled, repeated and late ends as the clean one, in one process and after a restart")
    func streams() async throws {
        try await Harness.run { harness in
            let delivery = try Delivery.sample(in: .enRoute)
            let ride = ride(from: 5, until: 0.5, interval: 9)
            harness.move(to: 480)
            var clean: Known?
            for seed in 0..<25 as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                try await Self.reset(harness)
                try await harness.parts.applyDeliveryChange(delivery.changed(at: 0))
                var stream = seed == 0 ? ride : (ride + ride.filter { _ in Bool.random(using: &random) })
                if seed > 0 { stream.shuffle(using: &random) }
                while !stream.isEmpty {
                    let count = seed == 0 ? 1 : Int.random(in: 1...min(9, stream.count), using: &random)
                    let batch = Array(stream.prefix(count))
                    stream.removeFirst(count)
                    // Every third request meets a process with an empty cache.
                    let isElsewhere = seed > 0 && Int.random(in: 0..<3, using: &random) == 0
                    let ingest = isElsewhere ? harness.another() : harness.parts.ingestFixes
                    _ = try await ingest(batch, of: mira.id)
                }
                // What only the newest fix tells is stored every 15 s, and at once where nothing is.
                try await harness.pool.execute("UPDATE deliveries SET tracking = tracking - 'estimate'")
                let last = Fix(time: seconds(470), place: along(0.52), accuracy: 10, speed: 3.2)
                _ = try await harness.another()([last], of: mira.id)
                let known = try await Self.known(delivery.id, harness)
                if let clean {
                    #expect(known == clean, "seed \(seed)")
                } else {
                    clean = known
                    #expect(known.record.count == ride.count + 1 && known.estimate != nil)
                }
            }
        }
    }

    @Test("Many couriers' fixes in one transaction come to the same as one after the other")
    func together() async throws {
        try await Harness.run { harness in
            let couriers = try (0..<40).map { try #require(CourierID(rawValue: "courier-\($0)")) }
            harness.move(to: 300)
            let batches = couriers.enumerated().flatMap { index, courier in
                ride(from: Double(index % 7), until: 0.3).map { FixBatch(courier: courier, fixes: [$0]) }
            }
            var random = SeededGenerator(seed: 3)
            let outcomes = try await harness.parts.ingestFixes((batches + batches).shuffled(using: &random))
            #expect(outcomes.map(\.accepted).reduce(0, +) == batches.count)
            #expect(outcomes.compactMap { $0.ignored[.duplicate] }.reduce(0, +) == batches.count)
            for (index, courier) in couriers.enumerated() {
                let kept = try await CourierRepository.track(of: courier, on: harness.pool)
                #expect(kept == track(of: ride(from: Double(index % 7), until: 0.3)))
            }
        }
    }

    @Test("Requests that come at once share transactions, and each gets its own outcome")
    func sharedTransactions() async throws {
        try await Harness.run { harness in
            harness.move(to: 300)
            let ingest = harness.parts.ingestFixes
            let requests = IngestFixes.groupCommit { try await ingest($0) }
            let rides = try (0..<60).map { index in
                (
                    courier: try #require(CourierID(rawValue: "courier-\(index)")),
                    fixes: ride(from: 0, until: Double(index % 5) / 15)
                )
            }
            try await withThrowingTaskGroup { group in
                for ride in rides + rides {
                    group.addTask {
                        let batch = FixBatch(courier: ride.courier, fixes: ride.fixes)
                        return (ride.fixes.count, try await requests(batch))
                    }
                }
                var accepted = 0
                for try await (count, outcome) in group {
                    #expect(outcome.accepted + outcome.ignored[.duplicate, default: 0] == count)
                    accepted += outcome.accepted
                }
                #expect(accepted == rides.map(\.fixes.count).reduce(0, +))
            }
        }
    }
}
