public import Foundation
public import OrderDomain

/// A part of a request to erase a person, which a service erases once.
public protocol ErasurePart: Sendable {
    /// The person request.
    var request: UUID { get }
    /// Names the part within the request.
    var part: String { get }
    /// Whether rows that are of the person and of no delivery go too.
    var isLast: Bool { get }
    var personID: String { get }
    var pseudonymID: String { get }
    /// Until when reads of the id are of the person, domain time; nil where all are.
    ///
    /// Later ones are of a new person with the id.
    var readsUntil: Date? { get }
}

/// Asks a service to put a pseudonym in the place of a courier in its rows about some deliveries.
///
/// The deliveries stay their customers'. `orders` repeats it until the service has answered.
public struct CourierErasureRequest: ErasurePart, Codable, Hashable, Sendable {
    public static let schema = 1
    /// Deliveries in one request: a service replaces the courier in each with everything that was sent and shown of it,
    /// in one transaction.
    public static let deliveriesMax = 10

    public let schema: Int
    public let request: UUID
    /// Names the part within the request.
    public let part: String
    public let courier: ErasedCourier
    /// The deliveries without the courier, at their present version: what late messages meet from now on.
    public let deliveries: [DeliveryChanged]
    /// Domain time; what is of the courier and later is of a new courier with the same id, where there is one.
    public let requestedAt: Date
    /// Whether the part is the last, in which rows that are of the courier and of no delivery go.
    public let isLast: Bool
    /// Whether the id was given to a courier since.
    public let keepsCourier: Bool
    /// Whether the service may answer that it is not ready yet.
    public let mayWait: Bool
    /// Whether nothing is erased, and the receipt only has until when the courier is on duty.
    public let isQuestion: Bool

    public init(
        request: UUID, part: String, courier: ErasedCourier, deliveries: [DeliveryChanged], requestedAt: Date,
        isLast: Bool, keepsCourier: Bool, mayWait: Bool, isQuestion: Bool = false
    ) {
        schema = Self.schema
        self.request = request
        self.part = part
        self.courier = courier
        self.deliveries = deliveries
        self.requestedAt = requestedAt
        self.isLast = isLast
        self.keepsCourier = keepsCourier
        self.mayWait = mayWait
        self.isQuestion = isQuestion
    }

    public var personID: String { courier.id.rawValue }
    public var pseudonymID: String { courier.pseudonym.rawValue }
    public var readsUntil: Date? { keepsCourier ? requestedAt : nil }

    /// The deliveries' ids.
    public var deliveryIDs: [String] { deliveries.map(\.delivery.id.rawValue) }

    /// The texts by which copies of messages name the courier.
    public var mentions: [String] { courier.mentions }

    /// Why a service refuses the request; nil for a readable one.
    public var fault: String? {
        guard deliveries.count <= Self.deliveriesMax else {
            return "it has more than \(Self.deliveriesMax) deliveries"
        }
        guard courier.pseudonym.isPseudonym, courier.pseudonym != courier.id else { return "it has no pseudonym" }
        return nil
    }
}

/// A request of `orders` to a service: to erase a customer, or a courier.
public enum PersonErasureRequest: Codable, Hashable, Sendable {
    case customer(ErasureRequest)
    case courier(CourierErasureRequest)

    private enum CodingKeys: String, CodingKey { case courier }

    /// Reads a courier's request by its property `courier`, and a customer's otherwise.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            container.contains(.courier)
            ? .courier(try CourierErasureRequest(from: decoder)) : .customer(try ErasureRequest(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .customer(let request): try request.encode(to: encoder)
        case .courier(let request): try request.encode(to: encoder)
        }
    }
}
