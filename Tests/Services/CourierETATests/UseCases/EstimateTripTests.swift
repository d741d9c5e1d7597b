import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("A courier's trip without a position", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct EstimateTripTests {
    /// Picked up at `start`, and promised until `end`.
    private func bag(until end: Double) throws -> Delivery {
        var delivery = try Delivery.sample(in: .pickedUp)
        try delivery.change(.promise(try #require(Promise(start: seconds(1_800), end: seconds(end)))), at: 0)
        return delivery
    }

    @Test("Bags that come first on the trip move the arrival of a bag that the courier has already")
    func join() async throws {
        try await Harness.run { harness in
            let last = try bag(until: 3_600)
            try await harness.parts.applyDeliveryChange(last.changed(at: 0))
            let alone = try #require(try await harness.published().estimates.last)
            var first = try (0..<4).map { try bag(until: 3_000 + Double($0)) }
            for delivery in first { try await harness.parts.applyDeliveryChange(delivery.changed(at: 0)) }
            _ = try await harness.published()

            harness.move(to: 60)
            #expect(try await harness.timers.fireDue() == 1)
            let published = try await harness.published().estimates
            let behind = try #require(published.last { $0.delivery == last.id })
            let later = behind.estimate.arrivesAt.timeIntervalSince(alone.estimate.arrivesAt)
            #expect(later >= 4 * DwellTimes.builtIn.doorSeconds)

            for index in first.indices {
                try first[index].change(.status(.delivered, reason: nil), at: 61)
                try await harness.parts.applyDeliveryChange(first[index].changed(at: 61))
            }
            harness.move(to: 120)
            #expect(try await harness.timers.fireDue() == 1)
            let next = try #require(try await harness.published().estimates.last { $0.delivery == last.id })
            #expect(next.estimate.arrivesAt < behind.estimate.arrivesAt)
        }
    }

    @Test("A courier's only delivery needs no second update")
    func alone() async throws {
        try await Harness.run { harness in
            try await harness.parts.applyDeliveryChange(try bag(until: 3_600).changed(at: 0))
            harness.move(to: 60)
            #expect(try await harness.timers.fireDue() == 0)
        }
    }
}
