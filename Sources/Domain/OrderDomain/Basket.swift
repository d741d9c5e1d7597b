/// One line of a basket, with what became of it.
public struct Item: Hashable, Codable, Sendable {
    public let id: ItemID
    /// What the shop calls it, 1 to 60 characters.
    public let name: String
    /// How many were ordered, at least 1.
    public let quantity: Int
    /// What to do when the shelf is empty, as the customer chose.
    public let ifUnavailable: UnavailablePreference
    public var status: ItemStatus
    /// How many of the quantity are in the bag.
    public var foundQuantity: Int
    /// What the store offers instead, from proposal to answer and after.
    public var substitute: Substitute?
    /// Proposals made for this item so far: a link answers one of them and no other.
    public var proposals: Int

    public init(id: ItemID, name: String, quantity: Int, ifUnavailable: UnavailablePreference) {
        self.id = id
        self.name = name
        self.quantity = quantity
        self.ifUnavailable = ifUnavailable
        status = .pending
        foundQuantity = 0
        substitute = nil
        proposals = 0
    }
}

/// What became of an item.
public enum ItemStatus: String, CaseIterable, Hashable, Codable, Sendable {
    case pending, found, short
    case substituteProposed = "substitute_proposed"
    case substituted
    case outOfStock = "out_of_stock"
    case removed, refunded

    /// Whether the picker still has something to do or to wait for.
    public var isOpen: Bool {
        switch self {
        case .pending, .substituteProposed: true
        case .found, .short, .substituted, .outOfStock, .removed, .refunded: false
        }
    }
}

/// Another product in place of the one that was ordered.
public struct Substitute: Hashable, Codable, Sendable {
    /// What the shop calls it, 1 to 60 characters.
    public let name: String
    public let quantity: Int
    /// What the customer pays more (or, negative, less), in the order's currency.
    public let priceDifferenceMinorUnits: Int

    public init(name: String, quantity: Int, priceDifferenceMinorUnits: Int) {
        self.name = name
        self.quantity = quantity
        self.priceDifferenceMinorUnits = priceDifferenceMinorUnits
    }
}

/// What to do about an item that the store does not have.
public enum UnavailablePreference: String, CaseIterable, Hashable, Codable, Sendable {
    /// The store picks the nearest match and puts it in.
    case bestMatch = "best_match"
    /// The store proposes, the customer answers, and silence refunds.
    case ask
    case refund
    case cancelOrder = "cancel_order"
}
