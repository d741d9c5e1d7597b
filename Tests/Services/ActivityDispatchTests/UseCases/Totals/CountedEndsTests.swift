import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Counting what the service itself has recorded", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CountedEndsTests {
    private let deliveries = (0..<2).map { _ in DeliveryID(UUID()) }

    private func intent(_ delivery: DeliveryID, episode: Int, _ step: (String) -> ActivityStep) -> Intent {
        let id = ActivityID(delivery, episode: episode)
        return Intent(
            activity: id, customer: DispatchUnderTest.mira, delivery: delivery, store: StoreID(rawValue: "nordhavn"),
            writer: .orders, step: step(id.rawValue))
    }

    private func shown(_ delivery: DeliveryID, episode: Int, version: Int) -> Intent {
        intent(delivery, episode: episode) { .shows(version, activity: $0, staleAt: 2_000_000_000) }
    }

    private func ended(_ delivery: DeliveryID, episode: Int, version: Int, at date: Date) -> Intent {
        intent(delivery, episode: episode) { .ends(version, activity: $0, at: date) }
    }

    private func count(_ service: DispatchUnderTest) async throws {
        try await CountCards(pool: service.pool, clock: service.clock.domain, process: UUID())()
    }

    @Test("A reopened delivery counts on the day of each real end, with its device as it was when the card started")
    func reopened() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            func setVersions(_ app: String, _ system: String) async throws {
                try await service.pool.execute("UPDATE devices SET app_version = \(app), os_version = \(system)")
            }
            try await setVersions("4.1", "18.1.2")
            try await service.applyIntent(shown(deliveries[0], episode: 1, version: 1))
            try await service.reconcile()
            service.clock.advance(by: 600)
            try await service.applyIntent(ended(deliveries[0], episode: 1, version: 2, at: service.clock.now))
            try await service.reconcile()
            try await setVersions("5.0", "26.0")

            // The next day both are reopened; the other one had not ended.
            service.clock.advance(by: 20 * 3_600)
            try await service.applyIntent(shown(deliveries[1], episode: 1, version: 1))
            for delivery in deliveries { try await service.applyIntent(shown(delivery, episode: 2, version: 5)) }
            try await service.reconcile()
            let first = try #require(
                try await ActivityRepository.activity(ActivityID(deliveries[0], episode: 1), on: service.pool))
            #expect(first.activity.wanted.isContinued)
            service.clock.advance(by: 600)
            for delivery in deliveries {
                try await service.applyIntent(ended(delivery, episode: 2, version: 6, at: service.clock.now))
            }
            // A provider's late report states an earlier end: the first stays.
            try await service.applyIntent(
                ended(deliveries[1], episode: 2, version: 7, at: service.clock.now - 86_400))
            try await service.reconcile()

            service.clock.advance(by: 60 * 3_600)
            try await count(service)
            let rows = try await service.pool.query(
                """
                SELECT day::text AS date, app_version, os_version, sum(deliveries)::bigint AS deliveries,
                    sum(cards)::bigint AS cards
                FROM card_totals GROUP BY day, app_version, os_version ORDER BY day, app_version
                """)
            let texts = try rows.map { row in
                let versions = try ["app_version", "os_version"].map { try row.decode($0, as: String.self) }
                let numbers = try "\(row.decode("deliveries", as: Int.self)) \(row.decode("cards", as: Int.self))"
                return try "\(row.decode("date", as: String.self)) \(versions.joined(separator: " ")) \(numbers)"
            }
            #expect(texts == ["2026-11-21 4.1 18.1 1 1", "2026-11-22 5.0 26.0 2 2"])
        }
    }

    @Test("A card without a token is late from the time at which it fell behind, however often its state changes")
    func withoutToken() async throws {
        try await DispatchUnderTest.run(apns: FakeTransport([])) { service in
            let delivery = deliveries[0]
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery, at: "nordhavn")
            try await service.reconcile()
            for version in 2...3 {
                service.clock.advance(by: 20)
                try await service.show(version, of: delivery)
                try await service.reconcile()
            }
            service.clock.advance(by: 20)
            try await service.reportStarted(delivery, token: "EF01")
            try await service.reconcile()
            service.clock.advance(by: 600)
            try await service.end(4, of: delivery)
            try await service.reconcile()
            service.clock.advance(by: 2 * 3_600)
            try await count(service)
            let row = try await service.pool.query("SELECT * FROM card_totals")[0]
            #expect(try row.decode("changes", as: Int.self) == 2)
            #expect(try row.decode("late_no_token", as: Int.self) == 1)
            #expect(try row.decode("ends_on_time", as: Int.self) == 1)
        }
    }

    @Test("A start that nothing confirmed is a started card, and none on a screen")
    func unconfirmed() async throws {
        try await DispatchUnderTest.run(apns: FakeTransport([])) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: deliveries[0], at: "nordhavn")
            try await service.reconcile()
            service.clock.advance(by: 600)
            try await service.end(2, of: deliveries[0])
            try await service.reconcile()
            service.clock.advance(by: 2 * 3_600)
            try await count(service)
            let sums = try await service.pool.query(
                """
                SELECT sum(started)::bigint AS started, sum(cards)::bigint AS cards, sum(ends)::bigint AS ends,
                    sum(deliveries)::bigint AS deliveries, sum(deliveries_with_card)::bigint AS shown FROM card_totals
                """)[0]
            #expect(try sums.decode("started", as: Int.self) == 1 && sums.decode("deliveries", as: Int.self) == 1)
            #expect(try sums.decode("cards", as: Int.self) == 0 && sums.decode("ends", as: Int.self) == 0)
            #expect(try sums.decode("shown", as: Int.self) == 0)
        }
    }
}
