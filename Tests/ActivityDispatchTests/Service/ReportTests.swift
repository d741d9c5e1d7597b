import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("What devices report", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReportTests {
    static let tablet = DeviceID(rawValue: "tablet")!
    let delivery = DeliveryID(UUID())

    private func started(_ card: UUID, of delivery: DeliveryID) -> TakeReports.Report {
        TakeReports.Report(card: card, activity: Bench.activity(delivery), said: .started(updateToken: nil))
    }

    @Test("A device that claims a start under the id of another device's card gets a card of its own")
    func foreignID() async throws {
        try await Bench.run { bench in
            let theirs = DeliveryID(UUID())
            try await bench.register()
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            let before = try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).map(\.card)
            let stolen = try #require(before.first)

            try await bench.register(Self.tablet, for: Bench.noor)
            try await bench.show(1, of: theirs, startAt: 2_000_000_000, for: Bench.noor)
            try await bench.pool.execute("DELETE FROM cards WHERE device_id = \(Self.tablet)")
            let taken = try await bench.takeReports([started(stolen.id, of: theirs)], from: Self.tablet, of: Bench.noor)
            #expect(taken == ReportsTakenBody(taken: 1, unknown: 0))
            #expect(try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).map(\.card) == before)
            let claimed = try await ActivityRepository.cards(on: Self.tablet, in: bench.pool).map(\.card)
            #expect(claimed.map(\.activity) == [Bench.activity(theirs)] && claimed.map(\.id) != [stolen.id])

            bench.clock.advance(by: 5)
            try await bench.show(2, of: delivery, phase: .onTheWay)
            try await bench.dispatch()
            #expect(try await bench.cards(of: delivery).map(\.sent?.version) == [2])
        }
    }

    @Test("Writing a card under the id of another device's card leaves that card as it is")
    func foreignCard() async throws {
        try await Bench.run { bench in
            try await bench.register()
            try await bench.register(Self.tablet)
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            let before = try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).map(\.card)
            let known = try #require(before.first)
            let other = Card(
                id: known.id, activity: known.activity, device: Self.tablet,
                urgentPushes: TokenBucket(Limits.stream.urgentPushes, at: bench.clock.now))
            try await bench.pool.execute(ActivityRepository.save(StoredCard(other)))
            #expect(try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).map(\.card) == before)
        }
    }
}
