import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("What devices report", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
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

    @Test("However many starts of one activity are claimed, it has one card")
    func manyClaims() async throws {
        try await Bench.run { bench in
            try await bench.show(1, of: delivery, startAt: 2_000_000_000)
            try await bench.register()
            try await bench.pool.execute("DELETE FROM cards")
            let first = UUID()
            let ids = [first] + (1..<TakeReports.reportsMax).map { _ in UUID() }
            let reports = ids.map { started($0, of: delivery) }
            for _ in 0..<2 { _ = try await bench.takeReports(reports, from: Bench.phone, of: Bench.mira) }
            let cards = try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).map(\.card)
            #expect(cards.map(\.id) == [first] && cards.map(\.state) == [.active])
        }
    }

    @Test("A card that is swiped away and claimed again and again comes to an end of it")
    func claimsAfterSwipes() async throws {
        try await Bench.run { bench in
            try await bench.show(1, of: delivery)
            try await bench.register()
            for _ in 0..<20 {
                _ = try await bench.takeReports(
                    [
                        started(UUID(), of: delivery),
                        .init(card: nil, activity: Bench.activity(delivery), said: .dismissed),
                    ], from: Bench.phone,
                    of: Bench.mira)
                bench.clock.advance(by: 1)
            }
            let cards = try await ActivityRepository.cards(on: Bench.phone, in: bench.pool)
            #expect(cards.count == TakeReports.claimsPerActivityMax)
        }
    }

    @Test("A claim beyond the cards that a device may show is not taken")
    func claimsPerDevice() async throws {
        try await Bench.run { bench in
            try await bench.register()
            let deliveries = (0...Limits.stream.cardsPerDeviceMax).map { _ in DeliveryID(UUID()) }
            for delivery in deliveries { try await bench.show(1, of: delivery, startAt: 2_000_000_000) }
            try await bench.pool.execute("DELETE FROM cards")
            let taken = try await bench.takeReports(
                deliveries.map { started(UUID(), of: $0) }, from: Bench.phone, of: Bench.mira)
            #expect(taken == ReportsTakenBody(taken: Limits.stream.cardsPerDeviceMax, unknown: 1))
        }
    }

    @Test("A report about an old card by its id is not taken for its successor's")
    func byID() async throws {
        try await Bench.run { bench in
            try await bench.register()
            try await bench.show(1, of: delivery)
            try await bench.dispatch()
            bench.clock.advance(by: 5)
            let old = try #require(try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).first?.card)
            let new = Card(
                id: UUID(), activity: old.activity, device: old.device, replaces: old.id,
                urgentPushes: TokenBucket(Limits.stream.urgentPushes, at: bench.clock.now))
            try await bench.pool.execute(ActivityRepository.save(StoredCard(new)))
            _ = try await bench.takeReports(
                [.init(card: old.id, activity: old.activity, said: .dismissed)], from: Bench.phone, of: Bench.mira)
            let states = try await ActivityRepository.cards(on: Bench.phone, in: bench.pool).map(\.card.state)
            #expect(states == [.swiped, .waiting])
        }
    }
}
