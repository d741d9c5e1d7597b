public import Foundation
public import OrderDomain

/// A service that erases its own rows about a person when `orders` asks it.
public enum ErasingService: String, CaseIterable, Codable, Sendable {
    // In the order in which they are asked: cards end first.
    case activityDispatch = "activity-dispatch"
    case courierETA = "courier-eta"
    case partners
    case desk
}

/// Asks a service to erase its rows about some of a customer's deliveries.
///
/// `orders` repeats it until the service has answered, so its effect does not depend on how often it arrives.
public struct ErasureRequest: ErasurePart, Codable, Hashable, Sendable {
    public static let schema = 1
    /// Deliveries in one request: some 150 KB.
    public static let deliveriesMax = 100
    /// The part of what was recorded about reads until `orders` had erased its own rows; it has no deliveries.
    public static let readsPart = "reads"

    public let schema: Int
    /// The person request; a part of it is erased once.
    public let request: UUID
    /// Names the part within the request: the last delivery of the part before it, empty for the first, its own last
    /// delivery, and whether it is the last part; or ``readsPart``.
    public let part: String
    public let customer: CustomerID
    /// Stands for the customer in the rows that stay; it is of this request alone.
    public let pseudonym: CustomerID
    public let orders: [OrderID]
    /// The deliveries without their customer, at their last version: what late messages meet from now on.
    public let deliveries: [DeliveryChanged]
    /// Whether rows that are of the customer and of no delivery go too.
    public let isLast: Bool
    /// Whether an order was placed since: then devices stay.
    public let keepsCustomer: Bool
    /// Whether the service may answer that cards are still to end; otherwise it erases them as they are.
    public let mayWait: Bool

    public init(
        request: UUID, part: String, customer: CustomerID, pseudonym: CustomerID, orders: [OrderID],
        deliveries: [DeliveryChanged], isLast: Bool, keepsCustomer: Bool = false,
        mayWait: Bool
    ) {
        schema = Self.schema
        self.request = request
        self.part = part
        self.customer = customer
        self.pseudonym = pseudonym
        self.orders = orders
        self.deliveries = deliveries
        self.isLast = isLast
        self.keepsCustomer = keepsCustomer
        self.mayWait = mayWait
    }

    public var personID: String { customer.rawValue }
    public var pseudonymID: String { pseudonym.rawValue }
    /// A customer with an order since is the same person.
    public var readsUntil: Date? { nil }

    /// The deliveries' ids.
    public var deliveryIDs: [String] { deliveries.map(\.delivery.id.rawValue) }

    /// The ids by which copies of messages name the customer: of deliveries and of orders.
    public var mentionedIDs: [String] { deliveryIDs + orders.map(\.rawValue) }

    /// Why a service refuses the request; nil for a readable one.
    public var fault: String? {
        guard deliveries.count <= Self.deliveriesMax, orders.count <= Self.deliveriesMax else {
            return "it has more than \(Self.deliveriesMax) deliveries"
        }
        guard deliveries.allSatisfy({ $0.delivery.customer == pseudonym && $0.delivery.status.isEnded }) else {
            return "a delivery of it is live, or has its customer"
        }
        return nil
    }
}

/// The answer to an ``ErasureRequest``.
public struct ErasureReceipt: Codable, Hashable, Sendable {
    public static let schema = 1

    public let schema: Int
    /// The erased or replaced rows by table.
    public let rows: [String: Int]
    /// Whether nothing was erased yet: cards are still to end, or a process may still accept a courier's phone.
    public let isWaiting: Bool
    /// Why nothing was erased; nil where it was.
    public let fault: String?
    /// Domain days for which the service keeps rows with the pseudonym; nil where none stay.
    public var keptDays: Int?
    /// Until when the courier of a question is on duty; nil off duty, and in every other receipt.
    public let onDutyUntil: Date?

    public init(
        rows: [String: Int] = [:], isWaiting: Bool = false, fault: String? = nil, onDutyUntil: Date? = nil
    ) {
        schema = Self.schema
        self.rows = rows
        self.isWaiting = isWaiting
        self.fault = fault
        self.onDutyUntil = onDutyUntil
    }
}
