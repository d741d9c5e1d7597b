public import Foundation
public import Messages
public import OrderDomain

/// A delivery, as `orders` answers; fields hidden from its reader are absent.
public struct DeliveryBody: Codable, Sendable {
    public let id: DeliveryID
    public let order: OrderID
    public let reference: String
    /// Nil for a courier after the end, as is the door.
    public let customer: CustomerID?
    public let store: Store
    public let bag: Bag
    public internal(set) var door: Coordinate?
    /// The person who opens the door, for operators without a number; hidden from couriers after the end, as are the
    /// address and the note.
    public internal(set) var recipient: Recipient?
    /// Without a door code for operators who only read.
    public internal(set) var address: Address?
    /// A note to the courier.
    public internal(set) var note: String?
    /// Another address that the customer asked for and the shop has not decided about; nil for couriers.
    public let requestedAddress: Address?
    /// The corrections since the courier was assigned; nil without one.
    public let correction: CorrectionBody?
    /// The steps of people that corrections wait for; nil without one, and for customers and couriers.
    public let correctionsDue: [CorrectionDue]?
    /// The store's until pickup, then the tail's.
    public let status: StatusCode
    /// The courier's own, until pickup.
    public let courierStatus: CourierStatus?
    public let phase: Phase
    public let flags: [Flag]
    /// The legal values for `POST …/status` of this reader now; none once its customer is erased.
    public let allowed: [StatusCode]
    public let holder: Holder
    public let promise: Promise
    public let originalPromise: Promise
    public let handoff: Handoff
    /// The proofs required at the door, with their results; nil for none.
    public let proofs: [ProofStateBody]?
    /// The customer's number for the courier, for the customer alone while the delivery is live.
    public let pin: String?
    /// Since when a person has to decide about a missing proof; nil without one, and for customers and couriers.
    public let undecidedSince: Date?
    /// Since when the customer has the goods by the courier's word, to be confirmed; nil without that, and for
    /// customers and couriers.
    public let handedOverAt: Date?
    public let items: [Item]
    /// Without a phone number; nil for its customer until pickup.
    public let courier: CourierBody?
    /// The courier who has the goods until `courier` has fetched them; nil without a hand-over, and where `courier` is.
    public let fetchedFrom: CourierBody?
    public let stopsBefore: Int
    public let needsCustomerUntil: Date?
    public let statusSince: Date
    public let placedAt: Date
    public let endedAt: Date?
    /// When the end was disputed; nil once an operator has decided, and for customers and couriers.
    public let disputedAt: Date?
    /// The customer's word after the end; nil before they have given it, and for couriers.
    public let feedback: FeedbackBody?
    /// Nil for customers and couriers.
    public let reason: String?
    /// The customer-facing reason of a problem.
    public let customerReason: CustomerReason?
    /// The customer-facing next step after a problem.
    public let nextStep: NextStep?
    /// The customer's refund for the delivery, in minor units of the store's currency, without refunds of items.
    public let refundMinorUnits: Int?
    /// Also the entity tag: `"v17"`.
    public let version: Int
    public let episode: Int
    /// The end that an operator reopened to begin the present episode; nil in the first one.
    public let reopenedFrom: StatusCode?
    /// The activity that shows it on screens.
    public let activity: ActivityID
    /// The customer's legal links now.
    public let links: [DeliveryLink]

    /// - Parameters:
    ///   - pin: the customer's; only they are given it.
    ///   - showsImages: whether the reader is a customer whose store shows them photos and signatures.
    ///   - isErased: whether its customer is or was erased: no request changes it then.
    ///   - now: domain time, by which dispatchers may reopen what was just delivered; nil offers them none.
    public init(
        _ delivery: Delivery, dropOff: DropOff?, links: [DeliveryLink], pin: String? = nil, showsImages: Bool = false,
        isErased: Bool = false, for reader: Principal, at now: Date? = nil
    ) {
        let disclosure = Disclosure(delivery, for: reader)
        id = delivery.id
        order = delivery.order
        reference = delivery.reference
        customer = disclosure.customerAndDoor ? delivery.customer : nil
        store = delivery.store
        bag = delivery.bag
        door = disclosure.customerAndDoor ? delivery.door : nil
        recipient = disclosure.recipient(dropOff?.recipient)
        address = disclosure.address(dropOff?.address)
        note = disclosure.dropOff ? dropOff?.note : nil
        requestedAddress = disclosure.requestedAddress ? disclosure.address(dropOff?.requestedAddress) : nil
        correction = delivery.correction.map(CorrectionBody.init)
        correctionsDue = disclosure.reasons ? delivery.correctionsDue : nil
        status = delivery.status.code
        courierStatus = delivery.status.courierStatus
        phase = delivery.phase
        flags = delivery.flags.sorted()
        let confirmed: [StatusCode] = delivery.fetchedFrom == nil ? [] : [.pickedUp]
        let codes =
            confirmed + Self.allowed(of: delivery, for: reader) + Self.decisions(about: delivery, for: reader, at: now)
        allowed = isErased ? [] : codes.filter { reader.maySet($0) }
        holder = delivery.holder
        promise = delivery.promise
        originalPromise = delivery.originalPromise
        handoff = delivery.handoff
        proofs = ProofStateBody.all(
            of: delivery, showsAuthor: disclosure.reasons, showsReason: disclosure.reasons,
            showsImage: disclosure.reasons || showsImages)
        self.pin = disclosure.pin ? pin : nil
        undecidedSince = disclosure.reasons ? delivery.proof?.undecidedSince : nil
        handedOverAt = disclosure.reasons ? delivery.proof?.handedOverAt : nil
        items = delivery.items
        courier = (disclosure.courier ? delivery.courier : nil).map(CourierBody.init(withoutPhone:))
        fetchedFrom = (disclosure.courier ? delivery.fetchedFrom : nil).map(CourierBody.init(withoutPhone:))
        stopsBefore = delivery.stopsBefore
        needsCustomerUntil = delivery.needsCustomerUntil
        statusSince = delivery.statusSince
        placedAt = delivery.placedAt
        endedAt = delivery.endedAt
        disputedAt = disclosure.reasons ? delivery.disputedAt : nil
        feedback = disclosure.feedback ? FeedbackBody(delivery) : nil
        reason = disclosure.reasons ? delivery.reason : nil
        customerReason = delivery.customerReason
        nextStep = delivery.nextStep
        refundMinorUnits = delivery.refundMinorUnits
        version = delivery.version
        episode = delivery.episode
        reopenedFrom = delivery.reopenedFrom
        activity = ActivityID(delivery.id, episode: delivery.episode)
        self.links = links
    }

    /// The statuses that may follow: an operator alone may waive a missing proof.
    private static func allowed(of delivery: Delivery, for reader: Principal) -> [StatusCode] {
        if case .operator = reader.subject {
            let isWaived = delivery.canWaiveProofs && !delivery.allowed.contains(.delivered)
            return delivery.allowed + (isWaived ? [.delivered] : [])
        }
        return delivery.allowed.filter { $0 != .delivered || delivery.missingProofs.isEmpty }
    }

    /// The statuses by which an operator decides that a disputed end was so, and those by which one reopens an end.
    private static func decisions(about delivery: Delivery, for reader: Principal, at now: Date?) -> [StatusCode] {
        guard case .operator = reader.subject else { return [] }
        let isDisputed = delivery.disputedAt != nil
        let isMistakable = now.map { delivery.isMistakable(at: $0) } ?? false
        let mayReopen = reader.may(.supervisor) || isMistakable && reader.may(.dispatcher)
        let reopened = StatusCode.allCases.filter {
            delivery.status.reopened(as: $0) != nil && (delivery.courier != nil || !$0.needsCourier)
        }
        return (isDisputed ? [delivery.status.code] : []) + (mayReopen ? reopened : [])
    }

    /// The status behind the two codes.
    public var domainStatus: DeliveryStatus { DeliveryStatus(status, courierStatus) }
}

/// The request body of `POST /v1/deliveries/{id}/status`.
public struct StatusBody: Codable, Sendable {
    public var status: StatusCode
    /// The reason, for operators and stores; customers never see it.
    public var reason: String?
    /// The customer-facing reason, as a code; with attempted, returning and the ends except delivered.
    public var customerReason: CustomerReason?
    /// The next step; for the same statuses.
    public var nextStep: NextStep?
    /// The customer's refund for the delivery, in minor units of the store's currency, without refunds of items.
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

/// The request body of `PUT /v1/deliveries/{id}/courier`: a courier, the id of one that was assigned before, or null.
public struct AssignBody: Codable, Sendable {
    public var courier: Choice?
    public var reason: String?
    /// Other doors before this one on the courier's trip; by default none for another courier.
    public var stopsBefore: Int?

    public init(courier: Choice?, reason: String? = nil, stopsBefore: Int? = nil) {
        self.courier = courier
        self.reason = reason
        self.stopsBefore = stopsBefore
    }

    public enum Choice: Codable, Sendable {
        case known(CourierID)
        case described(CourierBody)

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // A choice that is no text is decoded as an object below, and that error is thrown.
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
        stopsBefore = try container.decodeIfPresent(Int.self, forKey: .stopsBefore)
    }

    private enum CodingKeys: String, CodingKey { case courier, reason, stopsBefore }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(courier, forKey: .courier)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(stopsBefore, forKey: .stopsBefore)
    }
}

/// A courier, as the shop describes them.
public struct CourierBody: Codable, Sendable {
    public let id: CourierID
    public let name: String
    public let vehicle: Vehicle?
    /// The courier's phone number, sent by the shop and shown through the contact link only.
    public let phone: String?

    public init(id: CourierID, name: String, vehicle: Vehicle?, phone: String?) {
        self.id = id
        self.name = name
        self.vehicle = vehicle
        self.phone = phone
    }

    fileprivate init(withoutPhone courier: Courier) {
        self.init(id: courier.id, name: courier.name, vehicle: courier.vehicle, phone: nil)
    }
}

/// The request body of `PATCH /v1/deliveries/{id}/items/{item}`.
public struct ItemBody: Codable, Sendable {
    /// `found`, `short`, `out_of_stock`, `substitute_proposed`, `substituted`, `removed` or `refunded`.
    public var status: ItemStatus
    /// The number of items found, for `found` and `short`; required for `short`, all by default otherwise.
    ///
    /// With a substitute it is 0, the ordered number or the substitute's, and 0 with any other status.
    public var quantity: Int?
    /// Required for `substitute_proposed` and `substituted`; none with any other status.
    public var substitute: SubstituteBody?
    /// Seconds within which the customer may answer, for `substitute_proposed` only; 600 by default, at most 3,600.
    public var answerSeconds: Int?
    /// The customer's refund for missing items, in minor units of the store's currency; for `short`, `out_of_stock`,
    /// `removed` and `refunded`, after pickup too.
    public var refundMinorUnits: Int?
    /// The reason in the delivery's timeline; no customer reads it.
    public var reason: String?

    public init(
        status: ItemStatus, quantity: Int? = nil, substitute: SubstituteBody? = nil, answerSeconds: Int? = nil,
        refundMinorUnits: Int? = nil, reason: String? = nil
    ) {
        self.status = status
        self.quantity = quantity
        self.substitute = substitute
        self.answerSeconds = answerSeconds
        self.refundMinorUnits = refundMinorUnits
        self.reason = reason
    }

    public struct SubstituteBody: Codable, Sendable {
        public var name: String
        /// By default that of the item's present substitute of this name, or the item's.
        public var quantity: Int?
        /// The customer's extra charge, or the discount if negative, in minor units of the store's currency; by default
        /// that of the item's present substitute of this name, or 0.
        public var priceDifferenceMinorUnits: Int?

        public init(name: String, quantity: Int? = nil, priceDifferenceMinorUnits: Int? = nil) {
            self.name = name
            self.quantity = quantity
            self.priceDifferenceMinorUnits = priceDifferenceMinorUnits
        }
    }
}

/// The request body of `PUT` and `DELETE /v1/deliveries/{id}/hold`.
public struct HoldBody: Codable, Sendable {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// The request body of `PUT /v1/deliveries/{id}/promise`.
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
