public import Foundation
public import OrderDomain

/// The payload of an outgoing webhook: one event of a delivery, with the delivery's state at that time.
///
/// It contains no link, phone or position: a receiver learns nothing by which to reach or follow a customer.
public struct WebhookEventBody: Codable, Hashable, Sendable {
    public let type: WebhookEventType
    /// When it happened, domain time.
    public let timestamp: Date
    public let data: Content
    /// True for an event triggered to test a receiver; absent otherwise.
    public let test: Bool?

    public init(type: WebhookEventType, timestamp: Date, data: Content, test: Bool? = nil) {
        self.type = type
        self.timestamp = timestamp
        self.data = data
        self.test = test
    }

    /// A delivery at one of its versions.
    public struct Content: Codable, Hashable, Sendable {
        public let id: DeliveryID
        public let order: OrderID
        public let reference: String
        public let customer: CustomerID
        public let store: StoreID
        public let bag: Bag
        /// Rises with every change of the delivery: of two events the one with the higher version is newer, whichever
        /// arrived first.
        public let version: Int
        public let episode: Int
        /// The store's until pickup, then the tail's.
        public let status: StatusCode
        /// The courier's own, until pickup.
        public let courierStatus: CourierStatus?
        public let phase: Phase
        public let flags: [Flag]
        public let promise: Promise
        public let originalPromise: Promise
        /// The proofs required at the door, with their results; absent for none.
        public let proofs: [ProofStateBody]?
        public let courier: Carrier?
        /// Absent where the body would be larger than a webhook may be; the API has them.
        public let items: [Line]?
        public let placedAt: Date
        public let statusSince: Date
        /// Since when the customer has the goods by the courier's word, to be confirmed; absent otherwise.
        public let handedOverAt: Date?
        public let pickedUpAt: Date?
        public let endedAt: Date?
        /// The customer's word after the end; absent before they have given it.
        public let feedback: FeedbackBody?
        public let customerReason: CustomerReason?
        public let nextStep: NextStep?
        /// The customer's refund for the delivery, in minor units of the store's currency, without refunds of items.
        public let refundMinorUnits: Int?
        public let currency: CurrencyCode?
        /// The corrections since the courier was assigned, without any value; absent without one.
        public let correction: CorrectionBody?

        public init(_ delivery: Delivery, hasItems: Bool = true) {
            id = delivery.id
            order = delivery.order
            reference = delivery.reference
            customer = delivery.customer
            store = delivery.store.id
            bag = delivery.bag
            version = delivery.version
            episode = delivery.episode
            status = delivery.status.code
            courierStatus = delivery.status.courierStatus
            phase = delivery.phase
            flags = delivery.flags.sorted()
            promise = delivery.promise
            originalPromise = delivery.originalPromise
            proofs = ProofStateBody.all(of: delivery, showsAuthor: false, showsReason: true, showsImage: true)
            courier = delivery.courier.map { Carrier(id: $0.id, name: $0.name, vehicle: $0.vehicle) }
            items = hasItems ? delivery.items.map(Line.init) : nil
            placedAt = delivery.placedAt
            statusSince = delivery.statusSince
            handedOverAt = delivery.proof?.handedOverAt
            pickedUpAt = delivery.pickedUpAt
            endedAt = delivery.endedAt
            feedback = FeedbackBody(delivery, hasItems: hasItems)
            customerReason = delivery.customerReason
            nextStep = delivery.nextStep
            refundMinorUnits = delivery.refundMinorUnits
            currency = delivery.store.currency
            correction = delivery.correction.map(CorrectionBody.init)
        }
    }

    /// The courier; never with a phone number.
    public struct Carrier: Codable, Hashable, Sendable {
        public let id: CourierID
        public let name: String
        public let vehicle: Vehicle?
    }

    /// A line of the basket, and how far it is fulfilled.
    public struct Line: Codable, Hashable, Sendable {
        public let id: ItemID
        public let name: String
        public let quantity: Int
        public let foundQuantity: Int
        public let status: ItemStatus
        public let substitute: Substitute?
        /// True where the store packed another substitute than the one that the customer was asked about.
        public let hasUnaskedSubstitute: Bool?
        public let refundMinorUnits: Int?

        public init(_ item: Item) {
            id = item.id
            name = item.name
            quantity = item.quantity
            foundQuantity = item.foundQuantity
            status = item.status
            substitute = item.substitute
            hasUnaskedSubstitute = item.hasUnaskedSubstitute
            refundMinorUnits = item.refundMinorUnits
        }
    }
}

/// The type of a delivery's event: a reached status, the customer's feedback, or another change.
public struct WebhookEventType: Hashable, Codable, Sendable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String

    /// Nil for an unknown event name.
    public init?(rawValue: String) {
        guard Self.names.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The event of a delivery that reached this status, of either region.
    public init(reached code: StatusCode) { rawValue = Self.prefix + code.rawValue }

    private init(known: String) { rawValue = known }

    /// The event of another change: a flag, an item, the courier, the promise.
    public static let changed = WebhookEventType(known: prefix + "changed")
    /// The customer's word after the end.
    public static let feedback = WebhookEventType(known: prefix + "feedback")

    /// Every event, statuses in the order of a delivery's life.
    public static let all = StatusCode.allCases.map(WebhookEventType.init(reached:)) + [feedback, changed]

    private static let prefix = "delivery."
    private static let names = Set(all.map(\.rawValue))

    /// The name without the subject: `picked_up`, `changed`.
    public var shortName: String { String(rawValue.dropFirst(Self.prefix.count)) }

    /// The status that was reached; nil for every other change.
    public var status: StatusCode? { StatusCode(rawValue: shortName) }

    public var description: String { rawValue }
}
