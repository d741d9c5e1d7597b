/// One line of a basket, with how far the store has fulfilled it.
public struct Item: Hashable, Codable, Sendable {
    public let id: ItemID
    /// What the shop calls it, 1 to 60 characters.
    public let name: String
    /// How many were ordered, at least 1.
    public let quantity: Int
    /// What to do when the store does not have it, as the customer chose.
    public let ifUnavailable: UnavailablePreference
    public var status: ItemStatus
    /// How many of the quantity are in the bag.
    public var foundQuantity: Int
    /// What the store offers or put in instead; stays after the customer's answer.
    public var substitute: Substitute?
    /// What the customer gets back for it, in the minor units of the store's currency; nil where the shop does not say.
    public var refundMinorUnits: Int?
    /// How many substitutes were proposed for this item so far; an answer names the number of the proposal it is for.
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

/// How far the store has fulfilled an item.
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
}

/// Another product in place of the one that was ordered.
public struct Substitute: Hashable, Codable, Sendable {
    /// What the shop calls it, 1 to 60 characters.
    public let name: String
    public let quantity: Int
    /// What the customer pays more (or, negative, less), in the minor units of the store's currency.
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
    /// The store proposes a substitute and the customer answers; without an answer in time the item is refunded.
    case ask
    case refund
    case cancelOrder = "cancel_order"
}
