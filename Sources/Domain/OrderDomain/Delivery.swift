public import Foundation

/// One hand-over at a door: it has a status, a version, and a card on its customer's phones.
///
/// A value: only `apply(_:at:)` changes it, and raises the version by one for each change.
public struct Delivery: Hashable, Codable, Sendable {
    public let id: DeliveryID
    public let order: OrderID
    /// The order's number, as the shop and the customer know it.
    public let reference: String
    public let customer: CustomerID
    public internal(set) var store: Store
    /// The store's name and colours on cards, as they were when the order was placed; nil where it had none.
    public internal(set) var brand: StoreBrand?
    /// The delivery's position among the order's deliveries.
    public let bag: Bag
    public let placedAt: Date
    /// The language that the customer reads, such as `da` or `pt-BR`; nil where the shop does not know it.
    public let language: String?
    /// The promise at the time of ordering.
    public let originalPromise: Promise

    /// The door's position; an operator or the shop may correct it.
    public internal(set) var door: Coordinate
    public internal(set) var promise: Promise
    /// When the promise was last moved; nil for never, and where that was before 0.30.2.
    public internal(set) var promisedAt: Date?
    public internal(set) var handoff: Handoff
    /// The proofs at the door, required and given; nil where the order requires none besides its items'.
    public internal(set) var proof: DeliveryProof?
    /// How often the customer has changed the handoff; nil for never.
    public internal(set) var handoffChanges: Int?
    public internal(set) var items: [Item]
    public internal(set) var status: DeliveryStatus
    public internal(set) var flags: Set<Flag>
    public internal(set) var courier: Courier?
    /// The former courier, who has the goods until the present one has fetched them; nil while no hand-over is due.
    public internal(set) var fetchedFrom: Courier?
    /// Rises with each assignment of another courier; milestones carry it, so that those of a former courier are ignored.
    public internal(set) var assignmentEpoch: Int
    /// The courier whose broken vehicle held the delivery when it left them; nil without one.
    public internal(set) var brokenDownCourier: CourierID?
    /// Whether the courier left the stop of a held delivery for others, also where the hold has another reason since.
    ///
    /// Nil without a hold, and where the hold's reason alone shows it; see ``isLeftUndone``.
    public internal(set) var leftUndone: Bool?
    /// The reports that decided the courier, where providers sent any.
    public internal(set) var courierReports: CourierReports?
    /// Stops before this one on the courier's trip.
    public internal(set) var stopsBefore: Int
    /// The deadline for the customer's answer to the open proposals; nil without any.
    public internal(set) var needsCustomerUntil: Date?
    /// Rises by one with every change.
    public internal(set) var version: Int
    /// 1 until the delivery is reopened after an end; each reopening to a live status raises it by one.
    public internal(set) var episode: Int
    /// How often the courier, near the door or at it, was sent on to approach it again; nil for never.
    public internal(set) var formerApproaches: Int?
    /// When a person last sent the delivery back to an earlier status, in the store or since the pickup; nil for never.
    ///
    /// A later attempt counts too, once the courier's word has it handed over since.
    public internal(set) var steppedBackAt: Date?
    /// When the delivery entered its present status.
    public internal(set) var statusSince: Date
    /// When picking first began in this episode, which is when a card may start; where no `picking` was reported, when a
    /// later status was first reported.
    public internal(set) var pickingSince: Date?
    /// When the goods left the store; nil for a delivery cancelled or lost before.
    public internal(set) var pickedUpAt: Date?
    public internal(set) var endedAt: Date?
    /// When the end was disputed; nil without a dispute, and once an operator has decided.
    public internal(set) var disputedAt: Date?
    /// The customer's word after the end; nil before they have given it, and in an episode that is reopened.
    public internal(set) var feedback: DeliveryFeedback?
    /// The end that an operator reopened to begin the present episode; nil in the first episode.
    public internal(set) var reopenedFrom: StatusCode?
    /// The corrections of address, recipient, note and items; nil without one.
    public internal(set) var correction: Correction?
    /// When something besides items was last corrected; nil for never, and where a former version recorded it.
    public internal(set) var dropOffCorrectedAt: Date?
    /// The steps of people that corrections wait for, sorted; nil without one.
    public internal(set) var correctionsDue: [CorrectionDue]?
    /// How often the customer has asked for another address; nil for never.
    public internal(set) var addressRequests: Int?
    /// The reason of the present status, or of the hold; nil without one.
    public internal(set) var reason: String?
    /// The customer-facing reason of a failure; nil while nothing has failed, and where the shop gives none.
    public internal(set) var customerReason: CustomerReason?
    /// The customer-facing next step after a failure.
    public internal(set) var nextStep: NextStep?
    /// The customer's refund for the delivery, in minor units of the store's currency, without refunds of items.
    public internal(set) var refundMinorUnits: Int?

    public init(
        id: DeliveryID, order: OrderID, reference: String, customer: CustomerID, store: Store, bag: Bag,
        door: Coordinate, promise: Promise, handoff: Handoff, items: [Item], placedAt: Date,
        proof: DeliveryProof? = nil, language: String? = nil, brand: StoreBrand? = nil
    ) {
        self.id = id
        self.order = order
        self.reference = reference
        self.customer = customer
        self.store = store
        self.brand = brand
        self.bag = bag
        self.door = door
        self.placedAt = placedAt
        self.language = language
        self.promise = promise
        self.handoff = handoff
        self.proof = proof
        self.items = items
        originalPromise = promise
        status = .placed
        flags = []
        assignmentEpoch = 0
        stopsBefore = 0
        version = 1
        episode = 1
        statusSince = placedAt
    }

    public var phase: Phase { Phase(status, flags: flags) }
    public var holder: Holder { Holder(status, flags: flags) }

    /// Pieces ordered.
    public var itemCount: Int { items.reduce(0) { $0 + $1.quantity } }
    /// Pieces in the bag; a substitute counts as the quantity it replaces.
    public var foundCount: Int {
        items.reduce(0) { $0 + ($1.status == .substituted ? $1.quantity : $1.foundQuantity) }
    }
    public var substitutedCount: Int { items.count { $0.status == .substituted } }
    /// The first item whose substitute waits for the customer.
    public var proposedItem: Item? { items.first { $0.status == .substituteProposed } }
}

/// A delivery's position among its order's deliveries: bag 1 of 2.
public struct Bag: Hashable, Codable, Sendable {
    /// The position, from 1.
    public let number: Int
    public let count: Int

    public init(number: Int, count: Int) {
        self.number = number
        self.count = count
    }
}

extension DeliveryStatus: Codable {
    private enum CodingKeys: String, CodingKey { case status, courierStatus }

    /// Reads `{"status": …, "courierStatus": …}`, the second only before pickup.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(StatusCode.self, forKey: .status).region {
        case .store(let store):
            self = .preparing(store, try container.decode(CourierStatus.self, forKey: .courierStatus))
        case .tail(let tail):
            self = .handedOver(tail)
        case .courier(let courier):
            throw DecodingError.dataCorruptedError(
                forKey: .status, in: container, debugDescription: "\(courier.rawValue) is a courier's status alone")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .status)
        try container.encodeIfPresent(courierStatus, forKey: .courierStatus)
    }
}
