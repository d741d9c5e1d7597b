/// One line of a basket, with the store's progress.
public struct Item: Hashable, Codable, Sendable {
    public let id: ItemID
    /// The shop's name for it, 1 to 60 characters.
    public let name: String
    /// The ordered quantity, at least 1.
    public let quantity: Int
    /// The customer's preference for a missing item.
    public let ifUnavailable: UnavailablePreference
    /// The proofs that handing it over requires, besides those of the order; nil for none.
    public let requires: [ProofKind]?
    public var status: ItemStatus
    /// The quantity in the bag.
    public var foundQuantity: Int
    /// The store's substitute, offered or packed; stays after the customer's answer, until the store reports otherwise.
    public var substitute: Substitute?
    /// The customer's refund for the item, in minor units of the store's currency; nil where the shop gives none.
    public var refundMinorUnits: Int?
    /// The number of substitutes proposed for this item so far; an answer names the number of its proposal.
    public var proposals: Int
    /// True where the store packed another substitute than the one that the customer was asked about; nil otherwise,
    /// and where a version before 0.32 packed it.
    public var hasUnaskedSubstitute: Bool?

    public init(
        id: ItemID, name: String, quantity: Int, ifUnavailable: UnavailablePreference, requires: [ProofKind]? = nil
    ) {
        self.id = id
        self.name = name
        self.quantity = quantity
        self.ifUnavailable = ifUnavailable
        self.requires = requires
        status = .pending
        foundQuantity = 0
        substitute = nil
        proposals = 0
    }
}

/// The store's progress with an item.
public enum ItemStatus: String, CaseIterable, Hashable, Codable, Sendable {
    case pending, found, short
    case substituteProposed = "substitute_proposed"
    case substituted
    case outOfStock = "out_of_stock"
    case removed, refunded

    /// Whether the picker still has to find the item, or waits for the customer's answer.
    public var isOpen: Bool {
        switch self {
        case .pending, .substituteProposed: true
        case .found, .short, .substituted, .outOfStock, .removed, .refunded: false
        }
    }

    /// Whether the item's substitute is offered or packed; a refused one stays with the item, and counts for nothing.
    public var hasSubstitute: Bool {
        switch self {
        case .substituteProposed, .substituted: true
        case .pending, .found, .short, .outOfStock, .removed, .refunded: false
        }
    }
}

/// Another product in place of the one that was ordered.
public struct Substitute: Hashable, Codable, Sendable {
    /// The shop's name for it, 1 to 60 characters.
    public let name: String
    public let quantity: Int
    /// The customer's extra charge, or the discount if negative, in minor units of the store's currency.
    public let priceDifferenceMinorUnits: Int

    public init(name: String, quantity: Int, priceDifferenceMinorUnits: Int) {
        self.name = name
        self.quantity = quantity
        self.priceDifferenceMinorUnits = priceDifferenceMinorUnits
    }
}

/// The customer's preference for an item that the store does not have.
public enum UnavailablePreference: String, CaseIterable, Hashable, Codable, Sendable {
    /// The store picks the nearest match and puts it in.
    case bestMatch = "best_match"
    /// The store proposes a substitute and the customer answers; without an answer in time the item is refunded.
    case ask
    case refund
    case cancelOrder = "cancel_order"
}
