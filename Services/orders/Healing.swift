import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Says again what every live delivery is, so that whatever a broker or a peer has lost comes right by itself.
struct Healing: Sendable {
    /// Hours that an ended delivery is still said again: longer than its card can stay anywhere (8 h active, 4 h kept).
    static let endedHours = 13.0

    let clock: DomainClock
    let announcement: Announcement

    /// Queues the snapshot and the intent of the next deliveries, in id order.
    @Sendable func page(
        after cursor: String?, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishedPage {
        let now = clock.now
        let rows = try await OrderRepository.toHeal(
            after: cursor ?? "", limit: rowsMax, endedAfter: now.addingTimeInterval(-Self.endedHours * 3600),
            on: transaction)
        return try await RepublishedPage.enqueuing(rows, rowsMax: rowsMax, id: "delivery_id", in: transaction) { row in
            let stored = try OrderRepository.stored(row)
            var messages = try announcement.messages(for: stored, cause: "republished", at: now)
            if !OrderIntents.writesActivity(stored.delivery) { messages.append(try announcement.intent(for: stored)) }
            return messages
        }
    }
}
