import DoorstepAPI
import Foundation
import OrderDomain

/// The filter of a list of receipts.
struct ReceiptFilter: Hashable, Sendable {
    var source: SourceID?
    /// The only store of the receipts' sources; nil for all.
    var store: StoreID?
    var state: ReceiptBody.State?
    var delivery: DeliveryID?
    var isUnknown = false
    var before: ReceiptCursor?
}

/// The place after a page of receipts.
struct ReceiptCursor: Hashable, Sendable {
    let receivedAt: Date
    let id: UUID
}

extension ReceiptCursor {
    /// - Returns: nil for a text that ``text`` did not write.
    init?(_ text: String) {
        let parts = text.split(separator: "_")
        guard parts.count == 2, let microseconds = Int64(parts[0]), let id = UUID(uuidString: String(parts[1])) else {
            return nil
        }
        self.init(receivedAt: Date(timeIntervalSince1970: Double(microseconds) / 1_000_000), id: id)
    }

    var text: String {
        "\(Int64((receivedAt.timeIntervalSince1970 * 1_000_000).rounded()))_\(id.uuidString.lowercased())"
    }
}
