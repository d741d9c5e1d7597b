import DomainTime
import Foundation
import PostgresClient

/// Counts the cards of deliveries that ended, an hour or a day at a time, into rows without persons.
///
/// Any number of replicas may run it: a span's rows are replaced as a whole, in the transaction that moves the progress
/// on from the span's beginning. So a repeat after a crash, or by another replica, changes nothing.
struct CountCards: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    /// This process, in leases.
    let process: UUID
    /// Activities that are read at once, with all their cards.
    var activitiesMax = 500
    /// Pushes that are read at once.
    var pushesMax = 10_000

    /// Counts every span that is due, oldest first.
    ///
    /// - Returns: the spans that this process counted.
    @discardableResult
    func callAsFunction() async throws -> [TotalsSchedule.Span] {
        var counted: [TotalsSchedule.Span] = []
        while true {
            let progress = try await CardTotalsRepository.progress(at: clock.now, on: pool)
            guard let span = progress.due(at: clock.now),
                try await CardTotalsRepository.lease(after: progress, by: process, on: pool)
            else { return counted }
            if try await count(span, after: progress) { counted.append(span) }
            try Task.checkCancellation()
        }
    }

    /// - Returns: whether this process was the one that stored the span's rows.
    func count(_ span: TotalsSchedule.Span, after progress: TotalsSchedule) async throws -> Bool {
        try await CardTotalsRepository.replace(span, with: try await fold(span, on: pool), after: progress, on: pool)
    }

    /// The totals of a span, read slice by slice.
    func fold(_ span: TotalsSchedule.Span, on database: some PostgresExecutor) async throws -> CardTotalsFold {
        var fold = CardTotalsFold()
        var position: CardFactsRepository.Position?
        repeat {
            let slice = try await CardFactsRepository.slice(
                of: span, after: position, limit: activitiesMax, on: database)
            let activities = slice.activities.map(\.id)
            let cards = try await CardFactsRepository.cards(of: activities, on: database)
            var pushes: [UUID: PushFacts] = [:]
            var pushPosition: CardFactsRepository.PushPosition?
            repeat {
                let page = try await CardFactsRepository.pushes(
                    of: activities, after: pushPosition, limit: pushesMax, on: database)
                for one in page.pushes { pushes[one.card, default: PushFacts()].add(one.push) }
                pushPosition = page.next
            } while pushPosition != nil
            fold.add(slice.activities, cards, pushes)
            position = slice.next
        } while position != nil
        return fold
    }
}
