public import Foundation
public import OrderDomain

/// The request body of `POST /v1/orders`.
public struct PlaceOrderBody: Codable, Sendable {
    /// The number that the shop and the customer know the order by.
    public var reference: String
    public var customer: CustomerID
    public var store: Store
    public var promise: Promise
    public var door: Coordinate
    /// The person who opens the door.
    public var recipient: Recipient?
    public var address: Address?
    /// A note to the courier.
    public var note: String?
    /// Handed over by default.
    public var handoff: Handoff?
    /// The proofs required at each door; by default those that the store requires of every order.
    public var requires: [ProofKind]?
    /// The language that the customer reads, as a BCP 47 tag such as `da` or `pt-BR`; the browser's by default.
    ///
    /// Their page is in it, and what their browser is notified of.
    public var language: String?
    /// The order's hand-overs; an unsplit order has one.
    public var deliveries: [Part]

    public init(
        reference: String, customer: CustomerID, store: Store, promise: Promise, door: Coordinate,
        recipient: Recipient? = nil, address: Address? = nil, note: String? = nil, handoff: Handoff?,
        requires: [ProofKind]? = nil, language: String? = nil, deliveries: [Part]
    ) {
        self.reference = reference
        self.customer = customer
        self.store = store
        self.promise = promise
        self.door = door
        self.recipient = recipient
        self.address = address
        self.note = note
        self.handoff = handoff
        self.requires = requires
        self.language = language
        self.deliveries = deliveries
    }

    public struct Part: Codable, Sendable {
        public var items: [Line]
        /// The order's promise by default.
        public var promise: Promise?
        /// The text of the barcode on the bag, which the courier reads at the door.
        public var barcode: String?

        public init(items: [Line], promise: Promise? = nil, barcode: String? = nil) {
            self.items = items
            self.promise = promise
            self.barcode = barcode
        }
    }

    public struct Line: Codable, Sendable {
        public var id: ItemID
        public var name: String
        /// 1 by default.
        public var quantity: Int?
        /// `refund` by default.
        public var ifUnavailable: UnavailablePreference?
        /// The store's class of the item, such as `alcohol`, for which it may require proofs.
        public var `class`: String?
        /// The proofs required for the item itself, besides those of its class and of the order.
        public var requires: [ProofKind]?

        public init(
            id: ItemID, name: String, quantity: Int? = nil, ifUnavailable: UnavailablePreference? = nil,
            class: String? = nil, requires: [ProofKind]? = nil
        ) {
            self.id = id
            self.name = name
            self.quantity = quantity
            self.ifUnavailable = ifUnavailable
            self.class = `class`
            self.requires = requires
        }
    }
}

/// An order with its deliveries, as `orders` answers.
public struct OrderBody: Codable, Sendable {
    public let id: OrderID
    public let reference: String
    public let customer: CustomerID
    public let store: Store
    /// A phase while anything is live, then how it ended.
    public let status: String
    public let placedAt: Date
    public let language: String?
    public private(set) var deliveries: [DeliveryBody]

    public init(_ order: Order, deliveries: [DeliveryBody]) {
        id = order.id
        reference = order.reference
        customer = order.customer
        store = order.store
        placedAt = order.placedAt
        language = order.language
        self.deliveries = deliveries
        status =
            OrderStatus(deliveries.map { ($0.domainStatus, Set($0.flags)) })?.code ?? Phase.received.rawValue
    }

    /// The order with these positions of its doors, and no others.
    public func with(doors: [DeliveryID: Coordinate]) -> OrderBody {
        var body = self
        for index in deliveries.indices { body.deliveries[index].door = doors[deliveries[index].id] }
        return body
    }

    /// The order with the courier's instructions at each door, as the reader may see them; without them where they were
    /// deleted.
    public func with(_ dropOffs: [DeliveryID: DropOff], for reader: Principal) -> OrderBody {
        var body = self
        for (index, delivery) in deliveries.enumerated() {
            let status = delivery.domainStatus
            let disclosure = Disclosure(
                isPickedUp: status.courierStatus == nil, isEnded: status.isEnded, for: reader)
            let dropOff = dropOffs[delivery.id]
            body.deliveries[index].recipient = disclosure.recipient(dropOff?.recipient)
            body.deliveries[index].address = disclosure.address(dropOff?.address)
            body.deliveries[index].note = disclosure.dropOff ? dropOff?.note : nil
        }
        return body
    }
}
