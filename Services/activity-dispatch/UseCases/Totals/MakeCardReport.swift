import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Makes the report of a day's cards from the counted totals.
struct MakeCardReport: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    /// Domain days for which totals are kept.
    var daysMax = RetentionTimes().totalsDays

    /// - Parameter store: nil for every store.
    /// - Returns: nil for a day whose totals may have been deleted.
    func callAsFunction(_ day: ReportDay, of store: StoreID?) async throws -> CardReportBody? {
        let now = clock.now
        guard day.localDay(in: .gmt, now: now).start > now.addingTimeInterval(-Double(daysMax) * 86_400) else {
            return nil
        }
        let progress = try await CardTotalsRepository.progress(at: now, on: pool)
        let rows = try await CardTotalsRepository.rows(
            of: CardDayReport.dates(of: day, now: now), store: store, on: pool)
        return CardDayReport(day, rows, now: now).body(progress)
    }
}
