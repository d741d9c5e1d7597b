import Foundation
import Messages
import OrderDomain

/// A request to export a customer's data over all services, and how far it is.
struct PersonExport: Hashable, Sendable {
    let id: UUID
    let customer: CustomerID
    /// The store whose token made it, and whose records it has; nil for the whole shop.
    let store: StoreID?
    let requestedBy: String
    /// Domain time; deliveries that are placed later are not in it.
    let requestedAt: Date
    let finishedAt: Date?
    var receipts = PersonRequest.Receipts()

    /// Domain seconds after its end for which a repeat returns it.
    static let repeatSeconds: TimeInterval = 3_600
}

extension PersonRequest.Receipts {
    /// The receipt of a service, or this service's own for nil.
    subscript(exporting service: ErasingService?) -> PersonRequest.Receipt {
        get { service.map { self[$0] } ?? own }
        set {
            guard let service else { return own = newValue }
            self[service] = newValue
        }
    }
}

extension PersonRequest.Receipt {
    /// Counts a chunk of an export.
    ///
    /// - Parameters:
    ///   - end: the last delivery of the part; nil for a part without one.
    ///   - isLast: whether no part follows.
    mutating func add(_ chunk: ExportChunk, endOfPart end: DeliveryID?, isLast: Bool) {
        if let section = chunk.section {
            rows[section.rawValue, default: 0] += chunk.records.count
            chunks = (chunks ?? 0) + 1
        }
        failure = nil
        cursor = chunk.next
        guard chunk.next == nil else { return }
        position = end?.rawValue ?? position
        isDone = isLast
    }
}

extension ArchiveSection {
    /// Data of the person that no archive has, and why.
    static let leftOut = [
        "Tokens, links and PINs: they are credentials.",
        "Names of couriers before pickup, of operators and of the shop's staff: they are other persons' data.",
        "Positions of couriers: a page shows them while a courier is near, and nothing of that is stored.",
        "Photos and signatures that the store does not show to its customers: their records name that.",
        "Webhooks of delivery providers that report other customers' deliveries too, and texts above 64 KB: their "
            + "records name that.",
        "Copies that expire within days: messages between services, answers to repeated requests, logs, back-ups.",
    ]
}
