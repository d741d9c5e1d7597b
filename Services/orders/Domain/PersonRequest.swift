import Foundation
import Messages
import OrderDomain

/// A request to erase a person over all services, and what has been done of it.
struct PersonRequest: Hashable, Sendable {
    /// The kind of person.
    enum Person: String, Sendable {
        case customer, courier
    }

    let id: UUID
    var person = Person.customer
    /// Nil once the request is done, and for a courier.
    let customer: CustomerID?
    /// Nil once the request is done, and for a customer.
    var courier: ErasedCourier?
    /// Stands for the person in the rows that stay.
    let pseudonym: CustomerID
    /// The store whose token made it; nil for the whole shop.
    let store: StoreID?
    let requestedBy: String
    /// Domain time; deliveries that are placed later are not of the request.
    let requestedAt: Date
    let finishedAt: Date?
    var receipts = Receipts()

    /// The receipts of all services.
    struct Receipts: Codable, Hashable, Sendable {
        /// By the service's name.
        var services: [String: Receipt] = [:]

        subscript(service: ErasingService) -> Receipt {
            get { services[service.rawValue] ?? Receipt() }
            set { services[service.rawValue] = newValue }
        }

        /// This service's own, which it erases last.
        var own: Receipt {
            get { services[Self.ownName] ?? Receipt() }
            set { services[Self.ownName] = newValue }
        }

        /// Whether every other service has answered for every part.
        var areComplete: Bool { ErasingService.allCases.allSatisfy { self[$0].isDone } }

        static let ownName = "orders"
    }

    /// The erased rows of one service, and how far it has come.
    struct Receipt: Codable, Hashable, Sendable {
        /// The last delivery of the last part that it has erased; empty before the first.
        var position = ""
        var isDone = false
        /// Erased or replaced rows by table.
        var rows: [String: Int] = [:]
        /// Why it has not gone on; nil while it does.
        var failure: String?
        /// Domain days for which the service keeps what is left; nil where it has not named them.
        var keptDays: Int?
        /// The place in the present part where an export goes on; nil at its beginning, and for an erasure.
        var cursor: String?
        /// The part in which the cursor is; nil where the next part begins, and for an erasure.
        var part: Part?
        /// The chunks that an export has stored; nil before the first, and for an erasure.
        var chunks: Int?

        /// Domain time since which cards of the next part are to end; nil while none are.
        var waitingSince: Date?

        /// A part of an export, which is the same for each of its chunks: deliveries may be deleted, and a courier may
        /// be assigned to others, between two.
        struct Part: Codable, Hashable, Sendable {
            /// In the order of their ids.
            let deliveries: [DeliveryID]
            /// Whether no part follows.
            let isLast: Bool
        }

        /// Counts a part.
        mutating func add(_ part: [String: Int]) {
            rows.merge(part, uniquingKeysWith: +)
            failure = nil
            waitingSince = nil
        }

        /// Notes that the service waits for the ends of cards.
        mutating func wait(since now: Date) {
            failure = nil
            waitingSince = waitingSince ?? now
        }
    }
}
