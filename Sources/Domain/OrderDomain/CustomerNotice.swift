/// Customer-facing details of a status.
public struct CustomerNotice: Hashable, Sendable {
    /// Minor units that may be refunded at once.
    public static let refundMinorUnitsMax = 1_000_000_000

    public var reason: CustomerReason?
    public var nextStep: NextStep?
    /// The customer's refund for the delivery, in minor units of the store's currency, without refunds of items.
    public var refundMinorUnits: Int?

    public init(reason: CustomerReason? = nil, nextStep: NextStep? = nil, refundMinorUnits: Int? = nil) {
        self.reason = reason
        self.nextStep = nextStep
        self.refundMinorUnits = refundMinorUnits
    }
}

/// The customer-facing reason of a failed delivery; staff's notes to each other are a separate text.
public enum CustomerReason: String, CaseIterable, Hashable, Codable, Sendable {
    case nobodyHome = "nobody_home"
    case addressNotFound = "address_not_found"
    /// The courier did not get to the door.
    case noAccess = "no_access"
    /// The check at the door, such as of an age, could not be made.
    case notVerified = "not_verified"
    /// A person at the door refused the delivery.
    case notAccepted = "not_accepted"
    case damaged, lost
    case noCourier = "no_courier"
    case storeProblem = "store_problem"
    case outOfStock = "out_of_stock"
    case paymentFailed = "payment_failed"
    case weather
    case customerRequest = "customer_request"
}

/// The customer-facing next step after a failed delivery.
public enum NextStep: String, CaseIterable, Hashable, Codable, Sendable {
    /// A second attempt follows.
    case redelivery
    case storeContacts = "store_contacts"
    case collectAtStore = "collect_at_store"
    case orderAgain = "order_again"
}
