public import Foundation
public import Messages
public import OrderDomain

/// A delivery, as `orders` answers; what its reader may not know is absent.
public struct DeliveryBody: Codable, Sendable {
    public let id: DeliveryID
    public let order: OrderID
    public let reference: String
    /// Nil for a courier after the end, as is the door.
    public let customer: CustomerID?
    public let store: Store
    public let bag: Bag
    public let door: Coordinate?
    /// Who opens; for a courier until the end, as are the address and the note.
    public internal(set) var recipient: Recipient?
    public internal(set) var address: Address?
    /// What the courier should know.
    public internal(set) var note: String?
    /// The store's until pickup, then the tail's.
    public let status: StatusCode
    /// The courier's own, until pickup.
    public let courierStatus: CourierStatus?
    public let phase: Phase
    public let flags: [Flag]
    /// What `POST …/status` takes now.
    public let allowed: [StatusCode]
    public let holder: Holder
    public let promise: Promise
    public let originalPromise: Promise
    public let handoff: Handoff
    public let items: [Item]
    /// Without a phone number; nil for its customer until pickup.
    public let courier: CourierBody?
    public let stopsBefore: Int
    public let needsCustomerUntil: Date?
    public let statusSince: Date
    public let placedAt: Date
    public let endedAt: Date?
    /// Nil for customers and couriers.
    public let reason: String?
    /// Why it went wrong, as the customer is told.
    public let customerReason: CustomerReason?
    /// What comes next after it went wrong, as the customer is told.
    public let nextStep: NextStep?
    /// What the customer gets back for the delivery, in the minor units of the store's currency, beside what is refunded
    /// for items.
    public let refundMinorUnits: Int?
    /// Also the entity tag: `"v17"`.
    public let version: Int
    public let episode: Int
    /// The activity that shows it on screens.
    public let activity: ActivityID
    /// What the customer may press now.
    public let links: [DeliveryLink]

    public init(_ delivery: Delivery, dropOff: DropOff?, links: [DeliveryLink], for reader: Principal) {
        let disclosure = Disclosure(delivery, for: reader)
        let dropOff = disclosure.dropOff ? dropOff : nil
        id = delivery.id
        order = delivery.order
        reference = delivery.reference
        customer = disclosure.customerAndDoor ? delivery.customer : nil
        store = delivery.store
        bag = delivery.bag
        door = disclosure.customerAndDoor ? delivery.door : nil
        recipient = dropOff?.recipient
        address = dropOff?.address
        note = dropOff?.note
        status = delivery.status.code
        courierStatus = delivery.status.courierStatus
        phase = delivery.phase
        flags = delivery.flags.sorted()
        allowed = delivery.status.allowed
        holder = delivery.holder
        promise = delivery.promise
        originalPromise = delivery.originalPromise
        handoff = delivery.handoff
        items = delivery.items
        courier = (disclosure.courier ? delivery.courier : nil).map {
            CourierBody(id: $0.id, name: $0.name, vehicle: $0.vehicle, phone: nil)
        }
        stopsBefore = delivery.stopsBefore
        needsCustomerUntil = delivery.needsCustomerUntil
        statusSince = delivery.statusSince
        placedAt = delivery.placedAt
        endedAt = delivery.endedAt
        reason = disclosure.reasons ? delivery.reason : nil
        customerReason = delivery.customerReason
        nextStep = delivery.nextStep
        refundMinorUnits = delivery.refundMinorUnits
        version = delivery.version
        episode = delivery.episode
        activity = ActivityID(delivery.id, episode: delivery.episode)
        self.links = links
    }

    /// The status that the two codes stand for.
    public var domainStatus: DeliveryStatus {
        switch status.region {
        case .store(let store): .preparing(store, courierStatus ?? .unassigned)
        case .courier(let courier): .preparing(.placed, courier)
        case .tail(let tail): .handedOver(tail)
        }
    }
}

/// What `POST /v1/deliveries/{id}/status` takes.
public struct StatusBody: Codable, Sendable {
    public var status: StatusCode
    /// For operators and stores; no customer reads it.
    public var reason: String?
    /// Why it went wrong, in words that the customer's device has; with attempted, returning and the ends but delivered.
    public var customerReason: CustomerReason?
    /// What comes next; for the same statuses.
    public var nextStep: NextStep?
    /// What the customer gets back for the delivery, in the minor units of the store's currency, beside what is refunded
    /// for items.
    public var refundMinorUnits: Int?

    public init(
        status: StatusCode, reason: String? = nil, customerReason: CustomerReason? = nil, nextStep: NextStep? = nil,
        refundMinorUnits: Int? = nil
    ) {
        self.status = status
        self.reason = reason
        self.customerReason = customerReason
        self.nextStep = nextStep
        self.refundMinorUnits = refundMinorUnits
    }
}

/// What `PUT /v1/deliveries/{id}/courier` takes: a courier, the id of one that was assigned before, or null.
public struct AssignBody: Codable, Sendable {
    public var courier: Choice?
    public var reason: String?

    public init(courier: Choice?, reason: String? = nil) {
        self.courier = courier
        self.reason = reason
    }

    public enum Choice: Codable, Sendable {
        case known(CourierID)
        case described(CourierBody)

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if (try? container.decode(String.self)) != nil {
                self = .known(try container.decode(CourierID.self))
            } else {
                self = .described(try CourierBody(from: decoder))
            }
        }

        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .known(let id):
                var container = encoder.singleValueContainer()
                try container.encode(id)
            case .described(let courier): try courier.encode(to: encoder)
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.contains(.courier) else {
            throw DecodingError.keyNotFound(
                CodingKeys.courier,
                .init(codingPath: container.codingPath, debugDescription: "say null to take the courier off"))
        }
        courier = try container.decodeIfPresent(Choice.self, forKey: .courier)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
    }

    private enum CodingKeys: String, CodingKey { case courier, reason }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(courier, forKey: .courier)
        try container.encodeIfPresent(reason, forKey: .reason)
    }
}

/// A courier, as the shop describes them.
public struct CourierBody: Codable, Sendable {
    public let id: CourierID
    public let name: String
    public let vehicle: Vehicle?
    /// Sent by the shop, shown through the contact link only.
    public let phone: String?

    public init(id: CourierID, name: String, vehicle: Vehicle?, phone: String?) {
        self.id = id
        self.name = name
        self.vehicle = vehicle
        self.phone = phone
    }
}

/// What `PATCH /v1/deliveries/{id}/items/{item}` takes.
public struct ItemBody: Codable, Sendable {
    /// `found`, `short`, `out_of_stock`, `substitute_proposed`, `substituted`, `removed` or `refunded`.
    public var status: ItemStatus
    /// How many were found; all of them unless it says otherwise.
    public var quantity: Int?
    /// Required for `substitute_proposed` and `substituted`.
    public var substitute: SubstituteBody?
    /// How long the customer may answer; ten minutes unless it says otherwise, at most an hour.
    public var answerSeconds: Int?
    /// What the customer gets back for what is missing, in the minor units of the store's currency; for `short`,
    /// `out_of_stock`, `removed` and `refunded`, after pickup too.
    public var refundMinorUnits: Int?

    public init(
        status: ItemStatus, quantity: Int? = nil, substitute: SubstituteBody? = nil, answerSeconds: Int? = nil,
        refundMinorUnits: Int? = nil
    ) {
        self.status = status
        self.quantity = quantity
        self.substitute = substitute
        self.answerSeconds = answerSeconds
        self.refundMinorUnits = refundMinorUnits
    }

    public struct SubstituteBody: Codable, Sendable {
        public var name: String
        public var quantity: Int?
        /// What the customer pays more or, negative, less, in the minor units of the store's currency.
        public var priceDifferenceMinorUnits: Int?

        public init(name: String, quantity: Int? = nil, priceDifferenceMinorUnits: Int? = nil) {
            self.name = name
            self.quantity = quantity
            self.priceDifferenceMinorUnits = priceDifferenceMinorUnits
        }
    }
}

/// What `PUT` and `DELETE /v1/deliveries/{id}/hold` take.
public struct HoldBody: Codable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// What `PUT /v1/deliveries/{id}/promise` takes.
public struct PromiseBody: Codable, Sendable {
    public var start: Date
    public var end: Date
    public var reason: String?

    public init(start: Date, end: Date, reason: String? = nil) {
        self.start = start
        self.end = end
        self.reason = reason
    }
}

/// What `PUT /v1/deliveries/{id}/trip` takes: other doors before this one.
public struct TripBody: Codable, Sendable {
    public var stopsBefore: Int

    public init(stopsBefore: Int) { self.stopsBefore = stopsBefore }
}

/// A delivery's timeline so far, oldest first.
public struct TimelineBody: Codable, Sendable {
    public let delivery: DeliveryID
    public let entries: [Entry]

    public init(delivery: DeliveryID, entries: [Entry]) {
        self.delivery = delivery
        self.entries = entries
    }

    public struct Entry: Codable, Sendable {
        public let at: Date
        /// The delivery's version after it.
        public let version: Int
        /// What happened, as an open code such as `placed`, `status`, `courier`, `item`, `milestone` or `hold`.
        public let kind: String
        /// In words: `picking → staged`.
        public let what: String
        /// Who did it: `store nordhavn`, `operator ada`.
        public let by: String
        public let reason: String?
        /// When it happened by the provider that reported it; nil where it gave no time, and for what nobody reported.
        public let occurredAt: Date?
        /// The provider that reported it; nil for everything else.
        public let source: ProviderID?
        /// True where it was reported when the delivery was past it.
        public let isLate: Bool?
        /// True where nobody reported it, and it must have happened by what was.
        public let isInferred: Bool?

        public init(
            at: Date, version: Int, kind: String, what: String, by: String, reason: String?, occurredAt: Date? = nil,
            source: ProviderID? = nil, isLate: Bool? = nil, isInferred: Bool? = nil
        ) {
            self.at = at
            self.version = version
            self.kind = kind
            self.what = what
            self.by = by
            self.reason = reason
            self.occurredAt = occurredAt
            self.source = source
            self.isLate = isLate
            self.isInferred = isInferred
        }
    }
}
