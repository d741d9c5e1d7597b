import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Counting cards", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CountCardsTests {
    private static let midnight = noon - 12 * 3_600

    private func counter(_ service: DispatchUnderTest) -> CountCards {
        CountCards(
            pool: service.pool, clock: service.clock.domain, process: UUID(), activitiesMax: 37, pushesMax: 101)
    }

    /// The sums of the stored rows, as the recount has them.
    private func stored(_ service: DispatchUnderTest) async throws -> [SampleDay.Group: [String: Int]] {
        let rows = try await service.pool.query("SELECT *, day::text AS date FROM card_totals")
        return try rows.reduce(into: [:]) { sums, row in
            let group = SampleDay.Group(
                store: try row.decode("store_id"), day: try row.decode("date"), app: try row.decode("app_version"),
                system: try row.decode("os_version"), transport: try row.decode("transport"))
            for count in CardTotals.Count.allCases {
                let number = try row.decode(count.rawValue, as: Int.self)
                if number > 0 { sums[group, default: [:]][count.rawValue, default: 0] += number }
            }
        }
    }

    @Test("The report of a random day agrees with a recount of the ledger by hand", arguments: [1, 2, 3] as [UInt64])
    func recount(seed: UInt64) async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: seed, deliveries: 300)
            try await day.store(on: service.pool)
            service.clock.advance(by: 12 * 3_600 + 26 * 3_600)
            let spans = try await counter(service)()
            #expect(spans.first?.isFinal == true && spans.filter(\.isFinal).count == 1)

            let expected = day.recounted()
            #expect(try await stored(service) == expected)
            let report = service.makeCardReport
            for store in SampleDay.stores {
                for date in ["2026-11-20", "2026-11-21", "2026-11-22"] {
                    let (reported, id) = (try #require(ReportDay(rawValue: date)), StoreID(rawValue: store.id))
                    let body = try #require(try await report(reported, of: id))
                    let groups = expected.filter { $0.key.store == store.id && $0.key.day == date }.values
                    func sum(_ name: String) -> Int { groups.reduce(0) { $0 + ($1[name] ?? 0) } }
                    #expect(body.figures.deliveries == sum("deliveries") && body.figures.cards == sum("cards"))
                    #expect(body.figures.screen.minutes == sum("screen_seconds") / 60)
                    #expect(body.groups.count == groups.count && body.stores.count == (groups.isEmpty ? 0 : 1))
                    check(body.figures, day.recountedSeconds(store: store.id, day: date))
                }
            }
        }
    }

    /// Percentiles of sorted durations, as the bound of the bucket that has them.
    private func check(_ figures: CardReportBody.Figures, _ seconds: (starts: [Double], changes: [Double])) {
        func percentile(_ durations: [Double], _ share: Double) -> Int? {
            guard !durations.isEmpty else { return nil }
            let exact = durations.sorted()[Int((Double(durations.count) * share).rounded(.up)) - 1]
            return [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600].first { exact <= Double($0) }
        }
        #expect(figures.starts?.p50Seconds == percentile(seconds.starts, 0.5))
        #expect(figures.starts?.p90Seconds == percentile(seconds.starts, 0.9))
        #expect(figures.changes?.p90Seconds == percentile(seconds.changes, 0.9))
        #expect((figures.changes?.within5Seconds ?? 0) == seconds.changes.count { $0 <= 5 })
        #expect((figures.changes?.within30Seconds ?? 0) == seconds.changes.count { $0 <= 30 })
        #expect((figures.changes?.shown ?? 0) == seconds.changes.count)
    }

    @Test("Hours add up to the same as their day, which replaces them")
    func hours() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 4, deliveries: 120)
            try await day.store(on: service.pool)
            var spans: [TotalsSchedule.Span] = []
            for _ in 0..<14 {
                spans += try await counter(service)()
                service.clock.advance(by: 3_600)
            }
            #expect(spans.count { !$0.isFinal } == spans.count && spans.last?.end == Self.midnight + 86_400)
            #expect(try await stored(service) == day.recounted())
            service.clock.advance(by: 26 * 3_600)
            #expect(try await counter(service)().first?.isFinal == true)
            #expect(try await stored(service) == day.recounted())
            let starts = try await service.pool.query("SELECT DISTINCT span_start FROM card_totals")
            #expect(starts.count == 1)
        }
    }

    @Test("A repeat, and two replicas at once, change nothing and count each span once")
    func replicas() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 5, deliveries: 120)
            try await day.store(on: service.pool)
            service.clock.advance(by: 60 * 3_600)
            let (one, other) = (counter(service), counter(service))
            async let first = one()
            async let second = other()
            let spans = try await first + second
            #expect(Set(spans).count == spans.count && !spans.isEmpty)
            #expect(try await stored(service) == day.recounted())
            #expect(try await one() == [])
            #expect(try await stored(service) == day.recounted())
        }
    }

    @Test("A process that is slower than its lease changes nothing that another has counted")
    func overtaken() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 6, deliveries: 60)
            try await day.store(on: service.pool)
            service.clock.advance(by: 60 * 3_600)
            let slow = counter(service)
            let progress = try await CardTotalsRepository.progress(at: service.clock.now, on: service.pool)
            let span = try #require(progress.due(at: service.clock.now))
            #expect(try await CardTotalsRepository.lease(after: progress, by: slow.process, on: service.pool))
            let other = counter(service)
            #expect(try await other() == [], "the span is leased")
            try await service.pool.execute("UPDATE card_totals_progress SET leased_until = clock_timestamp()")
            try await other()
            #expect(try await slow.count(span, after: progress) == false)
            #expect(try await stored(service) == day.recounted())
        }
    }

    @Test("An end that arrives again later counts once, on the day on which the delivery ended")
    func arrivesAgain() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 7, deliveries: 20)
            try await day.store(on: service.pool)
            service.clock.advance(by: 38 * 3_600)
            // A customer's word after the end, whose version the card has too.
            let later: SQL = """
                UPDATE activities SET wanted_at = wanted_at + interval '20 hours',
                    wanted = jsonb_set(wanted, '{ended,endedAt}', to_jsonb(extract(epoch FROM first_end) + 72000))
                """
            try await service.pool.execute(later)
            try await counter(service)()
            service.clock.advance(by: 48 * 3_600)
            try await service.pool.execute(later)
            try await counter(service)()
            #expect(try await stored(service) == day.recounted())
        }
    }

    @Test("An end that gets a later version between two slices counts once")
    func changesMeanwhile() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 7, deliveries: 20)
            try await day.store(on: service.pool)
            let span = TotalsSchedule.Span(start: Self.midnight, end: Self.midnight + 86_400)
            var (ids, position): ([ActivityID], CardFactsRepository.Position?) = ([], nil)
            repeat {
                let slice = try await CardFactsRepository.slice(of: span, after: position, limit: 7, on: service.pool)
                ids += slice.activities.map(\.id)
                position = slice.next
                try await service.pool.execute("UPDATE activities SET wanted_at = wanted_at + interval '1 day'")
            } while position != nil
            #expect(Set(ids).count == ids.count && ids.count == day.deliveries.count)
        }
    }

    @Test("A day of 23 hours of a store counts what ended between its midnights")
    func shortDay() async throws {
        try await DispatchUnderTest.run { service in
            // Clocks in Sydney go forward on October 4.
            let day = SampleDay(seed: 10, deliveries: 200, around: noon - 48 * 86_400)
            try await day.store(on: service.pool)
            try await counter(service)()
            let expected = day.recounted()
            #expect(expected.keys.contains { $0.store == "manly" && $0.day == "2026-10-04" })
            #expect(expected.keys.contains { $0.store == "manly" && $0.day == "2026-10-05" })
            #expect(try await stored(service) == expected)
        }
    }

    @Test("Rows have no person, no device and no delivery, and leave after 400 days")
    func persons() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 8, deliveries: 30)
            try await day.store(on: service.pool)
            service.clock.advance(by: 60 * 3_600)
            try await counter(service)()
            let text = try await service.pool.query(
                "SELECT string_agg(card_totals::text, ' ') AS text FROM card_totals")[0]
                .decode("text", as: String.self).lowercased()
            for delivery in day.deliveries {
                #expect(!text.contains(delivery.id.uuidString.lowercased()))
                for card in delivery.cards {
                    #expect(!text.contains(card.device.id) && !text.contains(card.id.uuidString.lowercased()))
                }
            }
            let retention = Retention(pool: service.pool, clock: service.clock.domain, logger: .silent)
            service.clock.advance(by: 390 * 86_400)
            try await retention.deleteExpired()
            #expect(try await !stored(service).isEmpty)
            service.clock.advance(by: 12 * 86_400)
            try await retention.deleteExpired()
            #expect(try await stored(service).isEmpty)
        }
    }

    /// Deliveries of ``slices()``; 100,000 by hand.
    private static let deliveries =
        ProcessInfo.processInfo.environment["CARD_TOTALS_DELIVERIES"].flatMap(Int.init) ?? 1_500

    @Test("Its memory and its statements are bounded by slices, however many deliveries end")
    func slices() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 9, deliveries: Self.deliveries)
            try await day.store(on: service.pool)
            service.clock.advance(by: 60 * 3_600)
            let count = CountCards(pool: service.pool, clock: service.clock.domain, process: UUID())
            let progress = try await CardTotalsRepository.progress(at: service.clock.now, on: service.pool)
            let span = try #require(progress.due(at: service.clock.now))
            let database = MeasuredExecutor(pool: service.pool)
            let start = ContinuousClock.now
            let fold = try await count.fold(span, on: database)
            let duration = ContinuousClock.now - start
            let (pushes, cards) = (
                day.deliveries.reduce(0) { $0 + $1.cards.reduce(0) { $0 + $1.pushes.count } },
                day.deliveries.reduce(0) { $0 + $1.cards.count }
            )
            let slices = Self.deliveries / count.activitiesMax + 1
            #expect(database.statements <= 3 * slices + pushes / count.pushesMax)
            #expect(database.rowsMax <= count.pushesMax)
            #expect(fold.totals.values.reduce(0) { $0 + $1[.deliveries] } == Self.deliveries)
            print(
                "\(Self.deliveries) deliveries, \(cards) cards, \(pushes) pushes: \(database.statements) statements, "
                    + "at most \(database.rowsMax) rows each, \(fold.totals.count) rows of totals, \(duration)")
        }
    }
}

/// Counts the statements of a pool, and the rows of the largest answer.
private final class MeasuredExecutor: PostgresExecutor {
    private let pool: PostgresPool
    private let counts = Mutex((statements: 0, rowsMax: 0))

    init(pool: PostgresPool) { self.pool = pool }

    var statements: Int { counts.withLock(\.statements) }
    var rowsMax: Int { counts.withLock(\.rowsMax) }

    func batch(_ statements: [SQL]) async throws -> [PostgresResult] {
        let results = try await pool.batch(statements)
        counts.withLock { counts in
            counts.statements += statements.count
            counts.rowsMax = max(counts.rowsMax, results.map(\.rows.count).max() ?? 0)
        }
        return results
    }
}
