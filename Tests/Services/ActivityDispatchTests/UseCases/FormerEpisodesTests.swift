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

@Suite("Former episodes", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FormerEpisodesTests {
    private let deliveries = (0..<3).map { _ in DeliveryID(UUID()) }

    private func intent(
        _ delivery: DeliveryID, episode: Int, _ step: (String) -> ActivityStep
    ) -> Intent {
        let id = ActivityID(delivery, episode: episode)
        return Intent(
            activity: id, customer: DispatchUnderTest.mira, delivery: delivery, writer: .orders,
            step: step(id.rawValue))
    }

    private func shown(_ delivery: DeliveryID, episode: Int, version: Int) -> Intent {
        intent(delivery, episode: episode) { .shows(version, activity: $0, staleAt: 2_000_000_000) }
    }

    private func wanted(_ delivery: DeliveryID, episode: Int, _ service: DispatchUnderTest) async throws
        -> ActivityStep?
    {
        try await ActivityRepository.activity(ActivityID(delivery, episode: episode), on: service.pool)?.activity.wanted
    }

    private func summaryCount(_ service: DispatchUnderTest) async throws -> Int? {
        try await ActivityRepository.live(of: DispatchUnderTest.mira, on: service.pool).first(where: \.isSummary)?
            .wanted.attributes.itemCount
    }

    @Test("A device that was away still reads the end of a former card after what has expired was deleted")
    func endIsKept() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.applyIntent(shown(deliveries[0], episode: 1, version: 3))
            try await service.reconcile()
            let started = try #require(try await service.events()?.last)

            service.clock.advance(by: 5)
            try await service.applyIntent(shown(deliveries[0], episode: 2, version: 5))
            try await service.reconcile()
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            try await retention.deleteExpired()
            let missed = try #require(try await service.events(after: started.id))
            #expect(missed.map(\.event) == [.end, .start])
            #expect(missed.first?.body.card == started.body.card)

            // Until a day after it left the screen.
            service.clock.advance(by: 2 * 86_400)
            try await retention.deleteExpired()
            #expect(try await service.events(after: started.id)?.map(\.event) == [.start])
        }
    }

    @Test("An intent of a reopened delivery ends the former card, its wanted state and its place in the summary")
    func reopened() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            for delivery in deliveries { try await service.applyIntent(shown(delivery, episode: 1, version: 3)) }
            try await service.reconcile()
            #expect(try await summaryCount(service) == 3)

            service.clock.advance(by: 5)
            try await service.applyIntent(shown(deliveries[0], episode: 2, version: 5))
            try await service.reconcile()
            #expect(try await wanted(deliveries[0], episode: 1, service)?.isEnd == true)
            #expect(try await wanted(deliveries[0], episode: 2, service)?.isEnd == false)
            #expect(try await summaryCount(service) == 3)
            let cards = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card)
            let former = cards.filter { $0.activity == ActivityID(deliveries[0], episode: 1) }
            #expect(former.map(\.state) == [.dismissed])
            #expect(cards.filter { $0.activity == ActivityID(deliveries[0], episode: 2) }.map(\.state) == [.active])
        }
    }

    @Test("The cards' health of a delivery that is reopened after retention goes on above what orders knows of it")
    func reopenedAfterRetention() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            try await service.applyIntent(shown(deliveries[0], episode: 1, version: 3))
            try await service.reconcile()
            try await service.end(4, of: deliveries[0])
            try await service.reconcile()
            let former = try #require(try await service.health().map(\.sequence).max())

            service.clock.advance(by: 15 * 86_400)
            try await Retention(pool: service.pool, clock: service.clock.domain, logger: .silent).deleteExpired()
            #expect(try await service.pool.query("SELECT FROM card_health").isEmpty)
            try await service.register()
            try await service.applyIntent(shown(deliveries[0], episode: 2, version: 6))
            try await service.reconcile()
            let health = try await service.health()
            #expect(health.contains { $0.sequence > former && $0.cards == 1 })
        }
    }

    @Test("What comes late of a former episode shows nothing any more, and its end does not state its outcome again")
    func late() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let delivery = deliveries[0]
            try await service.applyIntent([
                shown(delivery, episode: 2, version: 5), shown(delivery, episode: 1, version: 3),
            ])
            try await service.applyIntent(shown(delivery, episode: 1, version: 4))
            try await service.applyIntent(
                intent(delivery, episode: 1) { .ends(4, 1, activity: $0, at: service.clock.now) })
            try await service.reconcile()
            #expect(try await wanted(delivery, episode: 1, service)?.isContinued == true)
            let cards = try await ActivityRepository.cards(on: DispatchUnderTest.phone, in: service.pool).map(\.card)
            #expect(cards.map(\.activity) == [ActivityID(delivery, episode: 2)])
        }
    }

    @Test("A card that has not received its end when the delivery is reopened is removed at once, without its outcome")
    func reopenedBeforeItsEndWasSent() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let delivery = deliveries[0]
            try await service.applyIntent(shown(delivery, episode: 1, version: 3))
            try await service.reconcile()
            let started = try #require(try await service.events()?.last)
            service.clock.advance(by: 5)
            try await service.applyIntent(
                intent(delivery, episode: 1) { .ends(4, activity: $0, at: service.clock.now) })
            try await service.applyIntent(shown(delivery, episode: 2, version: 6))
            try await service.reconcile()
            let missed = try #require(try await service.events(after: started.id))
            let end = try #require(missed.first { $0.body.card == started.body.card })
            let aps = end.body.payload.aps
            #expect(end.event == .end && aps.dismissalDate == 0 && aps.contentState.headline.text.isEmpty)
            #expect(try await wanted(delivery, episode: 1, service)?.isContinued == true)
            // Later states of the delivery leave the former card as it is.
            try await service.applyIntent(shown(delivery, episode: 2, version: 7))
            #expect(
                try await wanted(delivery, episode: 1, service)?.content.revision == Revision(version: 6, step: 0))
        }
    }

    @Test("A former episode that is live in the database already is ended by the next republished intent")
    func repaired() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let delivery = deliveries[0]
            try await service.applyIntent(shown(delivery, episode: 1, version: 3))
            try await service.applyIntent(shown(delivery, episode: 2, version: 5))
            // As a version before this one left it.
            let stale = Activity(shown(delivery, episode: 1, version: 3))
            try await service.pool.execute("DELETE FROM activities WHERE activity_id = \(stale.id)")
            try await service.pool.execute(ActivityRepository.upsert([stale], at: service.clock.now))
            #expect(try await service.applyIntent(shown(delivery, episode: 2, version: 5)))
            #expect(try await wanted(delivery, episode: 1, service)?.isEnd == true)
            #expect(try await !service.applyIntent(shown(delivery, episode: 2, version: 5)))
        }
    }

    @Test("Another delivery's activity is of no episode of this one")
    func episodes() throws {
        let (one, other) = (deliveries[0], deliveries[1])
        #expect(ActivityID(one, episode: 12).episode(of: one) == 12)
        #expect(ActivityID(one, episode: 1).episode(of: other) == nil)
        #expect(ActivityID(summaryOf: DispatchUnderTest.mira, episode: 1).episode(of: one) == nil)
        #expect(ActivityID(rawValue: "\(one)-99999999999999999999")?.episode(of: one) == nil)
    }
}
