import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import OrderDomain
import PostgresClient

/// Makes the report of a day, reading its events page by page.
///
/// The pages are separate reads: a delivery that changes meanwhile counts as it was or as it is.
struct MakeDayReport: Sendable {
    static let pageMax = 5_000

    let pool: PostgresPool
    let clock: DomainClock
    /// Domain days for which a report is complete.
    var daysMax = RetentionTimes().timelineDays
    /// A day's events may be many: those who ask at once for a report share one reading.
    let reads = SharedReads<Key, Result<DayReportBody?, any Error>>(keysMax: 100)

    struct Key: Hashable, Sendable {
        let day: ReportDay
        let store: StoreID?
    }

    /// - Parameter store: nil for every store.
    /// - Returns: nil for a day whose timelines may have been deleted.
    func callAsFunction(_ day: ReportDay, of store: StoreID?) async throws -> DayReportBody? {
        try await reads.value(of: Key(day: day, store: store)) { try await make(day, of: store) }
    }

    private func make(_ day: ReportDay, of store: StoreID?) async throws -> DayReportBody? {
        let now = clock.now
        let oldest = now.addingTimeInterval(-Double(daysMax) * 86_400)
        guard day.localDay(in: .gmt, now: now).start > oldest else { return nil }
        let stores = try await DayReportRepository.stores(store, on: pool)
        var report = DayReport(day, stores: stores, now: now)
        guard let span = report.span else { return report.body(names: [:]) }
        // A store's day may begin before that of UTC.
        guard span.start > oldest else { return nil }
        let events = DayReportRepository.Span(start: span.start, end: span.end, store: store)
        var entry: DayReportRepository.Position<Int>?
        repeat {
            let page = try await DayReportRepository.entries(events, after: entry, limit: Self.pageMax, on: pool)
            for event in page.events { report.add(event) }
            entry = page.next
        } while entry != nil
        var end: DayReportRepository.Position<String>?
        repeat {
            let page = try await DayReportRepository.ends(events, after: end, limit: Self.pageMax, on: pool)
            for event in page.events { report.add(event) }
            end = page.next
        } while end != nil
        var press: DayReportRepository.Position<[UInt8]>?
        repeat {
            let page = try await DayReportRepository.presses(events, after: press, limit: Self.pageMax, on: pool)
            for event in page.events { report.add(event) }
            press = page.next
        } while press != nil
        return report.body(names: try await DayReportRepository.names(of: report.couriers, by: store, on: pool))
    }
}
