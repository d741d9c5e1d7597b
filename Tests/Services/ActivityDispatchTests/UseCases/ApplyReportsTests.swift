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
struct ApplyReportsTests {
    static let tablet = DeviceID(rawValue: "tablet")!
    let delivery = DeliveryID(UUID())

    private func started(_ card: UUID, of delivery: DeliveryID) -> DeviceReport {
        DeviceReport(
            card: card, activity: DispatchUnderTest.activity(delivery), content: .card(.started(updateToken: nil)))
    }

    @Test("A device that claims a start under the id of another device's card gets a card of its own")
    func foreignID() async throws {
        try await DispatchUnderTest.run { service in
            let theirs = DeliveryID(UUID())
            try await service.showOnPhone(delivery)
            let before = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card)
            let stolen = try #require(before.first)

            try await service.register(Self.tablet, for: DispatchUnderTest.noor)
            try await service.show(1, of: theirs, startAt: 2_000_000_000, for: DispatchUnderTest.noor)
            try await service.pool.execute("DELETE FROM cards WHERE device_id = \(Self.tablet)")
            let taken = try await service.applyReports(
                [started(stolen.id, of: theirs)], from: Self.tablet, of: DispatchUnderTest.noor)
            #expect(taken == ReportsTakenBody(taken: 1, unknown: 0))
            #expect(
                try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card) == before)
            let claimed = try await ActivityRepository.cards(on: Self.tablet, in: service.pool).map(\.card)
            #expect(claimed.map(\.activity) == [DispatchUnderTest.activity(theirs)] && claimed.map(\.id) != [stolen.id])

            service.clock.advance(by: 5)
            try await service.show(2, of: delivery, phase: .onTheWay)
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.sent?.version) == [2])
        }
    }

    @Test("A report waits for no lock of its customer, whose intents lock the customer first and the device second")
    func lockedCustomer() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let card = try #require(
                try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).first?.card.id)
            try await service.pool.withTransaction { intents in
                _ = try await ActivityRepository.lockCustomer(DispatchUnderTest.mira, in: intents)
                try await service.pool.withTransaction { reports in
                    try await reports.execute("SET LOCAL lock_timeout = '5s'")
                    let device = try #require(
                        try await ActivityRepository.lockDevice(DispatchUnderTest.phone, in: reports)?.device)
                    let report = ActivityRepository.saveReported(device, isDue: true, at: service.clock.now)
                    // Postgres checks a row's foreign keys when one transaction updates it twice.
                    try await reports.batch([report, report])
                }
            }
            let taken = try await service.applyReports(
                [started(card, of: delivery)], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            #expect(taken?.taken == 1)
        }
    }

    @Test("Writing a card under the id of another device's card leaves that card as it is")
    func foreignCard() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.register(Self.tablet)
            try await service.show(1, of: delivery)
            try await service.reconcile()
            let before = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card)
            let known = try #require(before.first)
            let other = Card(
                id: known.id, activity: known.activity, device: Self.tablet,
                urgentPushes: TokenBucket(Limits.stream.urgentPushes, at: service.clock.now))
            try await service.pool.batch(ActivityRepository.save([StoredCard(other)]))
            #expect(
                try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card) == before)
        }
    }

    @Test("However many starts of one activity are claimed, it has one card")
    func manyClaims() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(1, of: delivery, startAt: 2_000_000_000)
            try await service.register()
            try await service.pool.execute("DELETE FROM cards")
            let first = UUID()
            let ids = [first] + (1..<ApplyReports.reportsMax).map { _ in UUID() }
            let reports = ids.map { started($0, of: delivery) }
            for _ in 0..<2 {
                _ = try await service.applyReports(reports, from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            }
            let cards = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card)
            #expect(cards.map(\.id) == [first] && cards.map(\.state) == [.active])
            #expect(try await service.health().map(\.cards) == [1])
        }
    }

    @Test("A card that was behind and left the screen is behind no more, as soon as its app reports it")
    func leftBehind() async throws {
        try await DispatchUnderTest.run(apns: FakeTransport([])) { service in
            try await service.showOnPhone(delivery, transport: "apns")
            service.clock.advance(by: 20)
            try await service.show(2, of: delivery)
            try await service.reconcile()
            let before = try #require(try await service.health().last)
            #expect(before.cards == 1 && before.behind == 1)
            let dismissed = DeviceReport(
                activity: DispatchUnderTest.activity(delivery), content: .card(.dismissed))
            _ = try await service.applyReports([dismissed], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            let after = try #require(try await service.health().last)
            #expect(after.cards == 0 && after.behind == 0 && after.sequence == before.sequence + 1)
        }
    }

    @Test("Claims after swipes are refused once an activity has as many cards as it may")
    func claimsAfterSwipes() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(1, of: delivery)
            try await service.register()
            for _ in 0..<20 {
                _ = try await service.applyReports(
                    [
                        started(UUID(), of: delivery),
                        .init(card: nil, activity: DispatchUnderTest.activity(delivery), content: .card(.dismissed)),
                    ], from: DispatchUnderTest.phone,
                    of: DispatchUnderTest.mira)
                service.clock.advance(by: 1)
            }
            let cards = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool)
            #expect(cards.count == ReportedCards.claimsPerActivityMax)
        }
    }

    @Test("A card that an app starts and reports as missing again and again has a bounded number of successors")
    func missingAgain() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(1, of: delivery)
            try await service.register()
            for _ in 0..<40 {
                let start = DeviceReport(
                    activity: DispatchUnderTest.activity(delivery), content: .card(.started(updateToken: nil)),
                    at: service.clock.now.addingTimeInterval(-3_600))
                let reports = [start, DeviceReport(content: .inventory([]))]
                _ = try await service.applyReports(reports, from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
                service.clock.advance(by: 1)
            }
            let cards = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool)
            #expect(cards.count == ReportedCards.cardsPerActivityMax)
        }
    }

    @Test("A card that the switch removed comes back with it, also where the report of that comes once more")
    func switchedOnAgain() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let card = try #require(
                try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).first?.card.id)
            let dismissed = DeviceReport(card: card, content: .card(.dismissed), at: service.clock.now)
            for isEnabled in [false, true] {
                try await service.register(isEnabled: isEnabled)
                _ = try await service.applyReports(
                    [dismissed], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            }
            let states = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(
                \.card.state)
            #expect(states == [.lost, .waiting])
        }
    }

    @Test("The event of a card that gets no end goes a day after its last push", arguments: [Card.State.swiped, .lost])
    func eventsWithoutEnd(state: Card.State) async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            try await service.register(isEnabled: state == .swiped)
            let dismissed = DeviceReport(activity: DispatchUnderTest.activity(delivery), content: .card(.dismissed))
            _ = try await service.applyReports([dismissed], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            let cards = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool)
            #expect(cards.first?.card.state == state)
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            for (hours, count) in [(0, 1), (25, 0)] {
                service.clock.advance(by: Double(hours) * 3_600)
                try await retention.deleteExpired()
                #expect(try await service.pool.query("SELECT FROM device_events").count == count)
            }
        }
    }

    @Test("A claim beyond the cards that a device may show is refused")
    func claimsPerDevice() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let deliveries = (0...Limits.stream.cardsPerDeviceMax).map { _ in DeliveryID(UUID()) }
            for delivery in deliveries { try await service.show(1, of: delivery, startAt: 2_000_000_000) }
            try await service.pool.execute("DELETE FROM cards")
            let taken = try await service.applyReports(
                deliveries.map { started(UUID(), of: $0) }, from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
            #expect(taken == ReportsTakenBody(taken: Limits.stream.cardsPerDeviceMax, unknown: 1))
        }
    }

    @Test("That an app brought a card up to date by itself is kept, and said of the card")
    func updatedByApp() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            let card = try #require(
                try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).first?.card)
            let revision = Revision(version: 1, step: 0)
            for isUpdatedByApp in [false, true] {
                let report = DeviceReport(
                    card: card.id, activity: card.activity, content: .card(.shown(revision)), revision: revision,
                    isUpdatedByApp: isUpdatedByApp)
                _ = try await service.applyReports(
                    [report], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
                let body = try #require(
                    try await ActivityRepository.cardBodies(of: card.activity, on: service.pool).first)
                #expect(body.confirmed == revision && body.updatedByApp == (isUpdatedByApp ? revision : nil))
            }
        }
    }

    @Test("A report about an old card by its id is not applied to its successor")
    func byID() async throws {
        try await DispatchUnderTest.run { service in
            try await service.showOnPhone(delivery)
            service.clock.advance(by: 5)
            let old = try #require(
                try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).first?.card)
            var new = Card(
                id: UUID(), activity: old.activity, device: old.device, replaces: old.id,
                urgentPushes: TokenBucket(Limits.stream.urgentPushes, at: service.clock.now))
            new.state = .active
            try await service.pool.batch(ActivityRepository.save([StoredCard(new)]))
            _ = try await service.applyReports(
                [.init(card: old.id, activity: old.activity, content: .card(.dismissed))],
                from: DispatchUnderTest.phone,
                of: DispatchUnderTest.mira)
            let states = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(
                \.card.state)
            #expect(states == [.replaced, .active])
        }
    }
}
