/// What a customer is told about a status beside the status itself.
public struct CustomerNotice: Hashable, Sendable {
    /// Minor units that may be refunded at once.
    public static let refundMinorUnitsMax = 1_000_000_000

    public var reason: CustomerReason?
    public var nextStep: NextStep?
    /// What the customer gets back for the delivery, in the minor units of the store's currency, beside what is refunded
    /// for items.
    public var refundMinorUnits: Int?

    public init(reason: CustomerReason? = nil, nextStep: NextStep? = nil, refundMinorUnits: Int? = nil) {
        self.reason = reason
        self.nextStep = nextStep
        self.refundMinorUnits = refundMinorUnits
    }
}

/// Why a delivery went wrong, as its customer is told; what people write for each other is a text beside it.
public enum CustomerReason: String, CaseIterable, Hashable, Codable, Sendable {
    case nobodyHome = "nobody_home"
    case addressNotFound = "address_not_found"
    /// The courier did not get to the door.
    case noAccess = "no_access"
    /// The check at the door, such as of an age, could not be made.
    case notVerified = "not_verified"
    /// Somebody was there and did not take it.
    case notAccepted = "not_accepted"
    case damaged, lost
    case noCourier = "no_courier"
    case storeProblem = "store_problem"
    case outOfStock = "out_of_stock"
    case paymentFailed = "payment_failed"
    case weather
    case customerRequest = "customer_request"
}

/// What comes next after a delivery went wrong, as its customer is told.
public enum NextStep: String, CaseIterable, Hashable, Codable, Sendable {
    /// It is brought another time.
    case redelivery
    case storeContacts = "store_contacts"
    case collectAtStore = "collect_at_store"
    case orderAgain = "order_again"
}
