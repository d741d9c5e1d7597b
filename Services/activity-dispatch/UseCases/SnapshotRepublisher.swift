import DomainTime
import Foundation
import PostgresClient
import ReliableMessaging

/// Says again how every live delivery's cards are, and has the devices with cards of it looked at again.
///
/// The reconciler compares levels, so looking at a device that needs nothing changes nothing.
struct Healing: Sendable {
    /// Hours that an ended delivery is still told of: longer than its card can stay anywhere.
    static let endedHours = 13.0

    let clock: DomainClock

    func page(
        after cursor: String?, rowsMax: Int, in transaction: PostgresTransaction
    ) async throws -> RepublishedPage {
        let now = clock.now
        let rows = try await CardHealth.rows(
            after: cursor, rowsMax: rowsMax, changedAfter: now.addingTimeInterval(-Self.endedHours * 3600),
            in: transaction)
        if let last = try rows.last?.decode("delivery_id", as: String.self) {
            try await ActivityRepository.makeDue(after: cursor, upTo: last, at: now, in: transaction)
        }
        return try await RepublishedPage.enqueuing(rows, rowsMax: rowsMax, id: "delivery_id", in: transaction) {
            [try CardHealth.message($0)]
        }
    }
}
