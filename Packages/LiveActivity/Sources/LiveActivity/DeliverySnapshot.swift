/// The source of a card's content: a delivery in `LiveActivity`'s own types.
///
/// It repeats the domain's codes as closed enums of its own, so that this library stands alone and a new status does
/// not compile until it is decided how it is shown.
public struct DeliverySnapshot: Hashable, Sendable {
    public enum Status: String, CaseIterable, Hashable, Sendable {
        case placed, accepted, picking, staged
        case pickedUp = "picked_up"
        case enRoute = "en_route"
        case arriving
        case atDoor = "at_door"
        case attempted, returning, delivered, returned, cancelled, failed
    }

    public enum CourierStatus: String, CaseIterable, Hashable, Sendable {
        case unassigned, assigned
        case toStore = "to_store"
        case atStore = "at_store"
    }

    public enum Flag: String, CaseIterable, Hashable, Sendable {
        case delayed, rescheduled
        case onHold = "on_hold"
        case needsCustomer = "needs_customer"
        case courierSilent = "courier_silent"
        case batched, reassigning, disputed
    }

    /// A question to the customer, whether one product may replace another.
    public struct Proposal: Hashable, Sendable {
        /// Unique among the delivery's questions, earlier and later ones.
        public let id: String
        public let item: String
        public let substitute: String
        public let quantity: Int
        /// The quantity that the substitute would replace.
        public let ordered: Int
        /// Epoch seconds.
        public let answerUntil: Int?
        /// The customer's extra charge, or the discount if negative; nil for the same price, and where it is unknown.
        public let priceDifference: Amount?

        public init(
            id: String, item: String, substitute: String, quantity: Int, ordered: Int = 1, answerUntil: Int?,
            priceDifference: Amount? = nil
        ) {
            self.id = id
            self.item = item
            self.substitute = substitute
            self.quantity = quantity
            self.ordered = ordered
            self.answerUntil = answerUntil
            self.priceDifference = priceDifference
        }
    }

    /// A signed deep link: its verb, and its URL.
    public struct Link: Hashable, Sendable {
        public let verb: Verb
        public let url: String

        public init(verb: Verb, url: String) {
            self.verb = verb
            self.url = url
        }
    }

    public var activity: String
    public var delivery: String
    public var reference: String
    public var store: String
    public var timeZone: String
    /// The shop's colours; nil where it has none.
    public var shop: GroceryDeliveryAttributes.Shop?
    public var bag: GroceryDeliveryAttributes.Bag
    public var itemCount: Int
    public var foundCount: Int
    public var substitutedCount: Int
    public var status: Status
    /// Nil from pickup on.
    public var courierStatus: CourierStatus?
    public var flags: Set<Flag>
    public var courier: Courier?
    /// The name of the courier who has the goods until the present one has fetched them; nil without a hand-over.
    public var fetchedFrom: String?
    /// The end that was reopened to begin the card's episode; nil in the first one.
    public var reopenedFrom: Status?
    public var promise: Window
    /// The first promise; lateness is measured against it.
    public var originalPromise: Window
    public var isLeftAtDoor: Bool
    public var proposal: Proposal?
    public var links: [Link]
    public var version: Int
    /// Since when it has its status, epoch seconds.
    public var statusSince: Int
    /// How often the courier, near the door or at it, was sent on to approach it again.
    public var formerApproaches: Int
    /// Epoch seconds; nil while live.
    public var endedAt: Int?
    /// Since when the end is known, epoch seconds, which is later than the end of a hand-over that was confirmed; nil
    /// while live, and where nothing shows it.
    public var endKnownAt: Int?
    /// When picking first began, epoch seconds.
    public var pickingSince: Int?
    /// Since when the courier has made an unexpected stop, epoch seconds; nil where it is too short to show.
    public var standingSince: Int?
    /// The metres that the courier is within, 200 to 5,000; nil where the store does not show it.
    public var withinMetres: Int?
    /// The items in the order of the basket.
    public var items: [Item]
    /// The reason of the failure; nil without one, and where the shop gives none.
    public var reason: Reason?
    /// The next step after the failure; nil where the shop gives none.
    public var nextStep: NextStep?
    /// The customer's refund for the delivery, without refunds of items.
    public var refund: Amount?
    public var courierTracking: CourierTracking
    /// The proofs that the hand-over requires, sorted by kind.
    public var proofs: [Proof]
    /// Whether the customer has the goods by the courier's word, while a proof of that is missing.
    public var isHandedOver: Bool
    /// The customer's PIN, or its sealed form on the way to `activity-dispatch`; nil for every other reader.
    public var pin: String?

    public init(
        activity: String, delivery: String, reference: String, store: String, timeZone: String,
        bag: GroceryDeliveryAttributes.Bag, itemCount: Int, foundCount: Int, substitutedCount: Int, status: Status,
        courierStatus: CourierStatus?, flags: Set<Flag>, courier: Courier?, promise: Window, originalPromise: Window,
        isLeftAtDoor: Bool, proposal: Proposal?, links: [Link], version: Int, statusSince: Int, endedAt: Int?,
        pickingSince: Int?, standingSince: Int? = nil, items: [Item] = [], reason: Reason? = nil,
        nextStep: NextStep? = nil, refund: Amount? = nil, courierTracking: CourierTracking = .tracked,
        fetchedFrom: String? = nil, proofs: [Proof] = [], pin: String? = nil, reopenedFrom: Status? = nil,
        withinMetres: Int? = nil, shop: GroceryDeliveryAttributes.Shop? = nil, formerApproaches: Int = 0,
        isHandedOver: Bool = false, endKnownAt: Int? = nil
    ) {
        self.activity = activity
        self.delivery = delivery
        self.reference = reference
        self.store = store
        self.timeZone = timeZone
        self.bag = bag
        self.itemCount = itemCount
        self.foundCount = foundCount
        self.substitutedCount = substitutedCount
        self.status = status
        self.courierStatus = courierStatus
        self.flags = flags
        self.courier = courier
        self.promise = promise
        self.originalPromise = originalPromise
        self.isLeftAtDoor = isLeftAtDoor
        self.proposal = proposal
        self.links = links
        self.version = version
        self.statusSince = statusSince
        self.endedAt = endedAt
        self.endKnownAt = endKnownAt
        self.pickingSince = pickingSince
        self.standingSince = standingSince
        self.withinMetres = withinMetres
        self.items = items
        self.reason = reason
        self.nextStep = nextStep
        self.refund = refund
        self.courierTracking = courierTracking
        self.fetchedFrom = fetchedFrom
        self.proofs = proofs
        self.isHandedOver = isHandedOver
        self.pin = pin
        self.reopenedFrom = reopenedFrom
        self.shop = shop
        self.formerApproaches = formerApproaches
    }
}

/// The action of a pseudo-button.
public enum Verb: String, CaseIterable, Hashable, Codable, Sendable {
    case details
    case contactCourier = "contact-courier"
    case leaveAtDoor = "leave-at-door"
    /// Withdraws `leaveAtDoor`.
    case handToMe = "hand-to-me"
    case approveSubstitution = "approve-substitution"
    case refuseSubstitution = "refuse-substitution"
    case cancel
    /// Asks whether everything was all right, after the end.
    case feedback

    /// Whether a press only shows something; the others change the delivery.
    public var isView: Bool {
        switch self {
        case .details, .contactCourier, .feedback: true
        case .leaveAtDoor, .handToMe, .approveSubstitution, .refuseSubstitution, .cancel: false
        }
    }
}
