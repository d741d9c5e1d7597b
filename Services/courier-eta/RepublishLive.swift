import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Says again what every live delivery's estimate and activity are, so that what a broker lost comes right by itself.
struct RepublishLive: Sendable {
    /// Hours that an ended delivery is still said again: longer than its card can stay anywhere (8 h active, 4 h kept).
    static let endedHours = 13.0

    let clock: DomainClock
    let announcement: Announcement

    /// One page, at the steps that were said last; milestones that `orders` does not show to have heard come again.
    func page(after cursor: String?, rowsMax: Int, in transaction: PostgresTransaction) async throws -> RepublishedPage
    {
        let now = clock.now
        let rows = try await CourierETARepository.toHeal(
            after: cursor ?? "", rowsMax: rowsMax, endedAfter: now.addingTimeInterval(-Self.endedHours * 3_600),
            in: transaction)
        return try await RepublishedPage.enqueuing(rows, rowsMax: rowsMax, id: "delivery_id", in: transaction) { row in
            let watched = try CourierETARepository.watched(row)
            return try announcement.messages(
                for: watched, signs: watched.watch.signs.unheard(by: watched.delivery), at: now)
        }
    }
}
