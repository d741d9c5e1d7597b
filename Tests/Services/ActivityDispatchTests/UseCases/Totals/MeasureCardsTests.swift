import DomainTime
import Foundation
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("Gauges of cards", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct MeasureCardsTests {
    @Test("A hundred stores have gauges of their own, and the others one together")
    func largest() {
        let stores = (0..<150).map { number -> (String, StoreTotals) in
            var counts = CardTotals()
            counts[.deliveries] = number
            return ("store-\(number)", StoreTotals(counts: counts, startsShown: 1))
        }
        let largest = MeasureCards.largest(Dictionary(uniqueKeysWithValues: stores))
        #expect(largest.count == 101 && largest["store-149"]?.counts[.deliveries] == 149)
        #expect(largest["*"]?.counts[.deliveries] == (0..<50).reduce(0, +) && largest["*"]?.startsShown == 50)
    }

    @Test("The sums of stores are those of their rows of the last 24 counted hours")
    func sums() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 11, deliveries: 80)
            try await day.store(on: service.pool)
            service.clock.advance(by: 12 * 3_600 + 900)
            let count = CountCards(pool: service.pool, clock: service.clock.domain, process: UUID())
            try await count()
            let midnight = noon - 12 * 3_600
            let totals = try await CardTotalsRepository.storeTotals(since: midnight, on: service.pool)
            let expected = day.recounted()
            for store in SampleDay.stores {
                let groups = expected.filter { $0.key.store == store.id }.values
                for count in CardTotals.Count.allCases {
                    #expect(totals[store.id]?.counts[count] == groups.reduce(0) { $0 + ($1[count.rawValue] ?? 0) })
                }
                let days = ["2026-11-20", "2026-11-21", "2026-11-22"]
                let shown = days.reduce(0) { $0 + day.recountedSeconds(store: store.id, day: $1).starts.count }
                #expect(totals[store.id]?.startsShown == shown)
            }
            #expect(try await CardTotalsRepository.storeTotals(since: midnight + 86_400, on: service.pool).isEmpty)
            try await MeasureCards(pool: service.pool, clock: service.clock.domain)()
        }
    }
}
