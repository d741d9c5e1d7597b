extension DeliverySnapshot {
    /// One line of the basket, with its outcome.
    public struct Item: Hashable, Sendable {
        public enum State: Hashable, Sendable {
            /// The item is not picked yet.
            case pending
            case found
            /// Fewer were found than were ordered.
            case short
            /// Whether the substitute may replace it waits for the customer's answer.
            case proposed
            /// The substitute replaces it.
            case substituted
            case soldOut
            case removed
            case refunded
        }

        public let name: String
        /// Pieces ordered.
        public let quantity: Int
        public let state: State
        /// Pieces in the bag.
        public let found: Int
        public let substitute: Substitute?
        /// The customer's refund for it.
        public let refund: Amount?

        public init(
            name: String, quantity: Int, state: State, found: Int = 0, substitute: Substitute? = nil,
            refund: Amount? = nil
        ) {
            self.name = name
            self.quantity = quantity
            self.state = state
            self.found = found
            self.substitute = substitute
            self.refund = refund
        }

        /// Whether the customer gets less than ordered.
        var isMissing: Bool {
            switch state {
            case .pending, .found, .proposed, .substituted: false
            case .short, .soldOut, .removed, .refunded: true
            }
        }
    }

    /// Another product in place of the one that was ordered.
    public struct Substitute: Hashable, Sendable {
        public let name: String
        public let quantity: Int
        /// The customer's extra charge, or the discount if negative; nil for the same price, and where it is unknown.
        public let priceDifference: Amount?

        public init(name: String, quantity: Int, priceDifference: Amount? = nil) {
            self.name = name
            self.quantity = quantity
            self.priceDifference = priceDifference
        }
    }

    /// The reason of a failed delivery, in the customer's words.
    public enum Reason: String, CaseIterable, Hashable, Sendable {
        case nobodyHome = "nobody_home"
        case addressNotFound = "address_not_found"
        case noAccess = "no_access"
        case notVerified = "not_verified"
        case notAccepted = "not_accepted"
        case damaged, lost
        case noCourier = "no_courier"
        case storeProblem = "store_problem"
        case outOfStock = "out_of_stock"
        case paymentFailed = "payment_failed"
        case weather
        case customerRequest = "customer_request"
    }

    /// The next step after a failed delivery.
    public enum NextStep: String, CaseIterable, Hashable, Sendable {
        case redelivery
        case storeContacts = "store_contacts"
        case collectAtStore = "collect_at_store"
        case orderAgain = "order_again"
    }

    /// The knowledge about the courier's position.
    public enum CourierTracking: Hashable, Sendable {
        /// The phone sends fixes, or is expected to.
        case tracked
        /// No phone is known that could send any.
        case withoutPhone
        /// The shop does not follow its couriers.
        case untracked
    }

    /// The pieces that are in the bag, or can still come: those ordered without those missing.
    ///
    /// A substitute counts as the quantity that it replaces.
    public var pieceCount: Int {
        items.reduce(itemCount) { count, item in
            switch item.state {
            case .soldOut, .removed, .refunded: count - item.quantity
            case .short: count - item.quantity + item.found
            case .pending, .found, .proposed, .substituted: count
            }
        }
    }

    /// The customer's total refund: for items, and for the delivery; nil for none.
    ///
    /// Where nothing was delivered, refunds for single items alone would suggest that the rest is lost.
    var refundTotal: Amount? {
        switch status {
        case .returned, .cancelled, .failed: if refund == nil { return nil }
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning,
            .delivered:
            break
        }
        let amounts = items.compactMap(\.refund) + [refund].compactMap(\.self)
        guard let currency = amounts.first?.currency else { return nil }
        let sum = amounts.reduce(0) { $0.addingSaturating($1.minorUnits) }
        return sum > 0 ? Amount(minorUnits: sum, currency: currency) : nil
    }
}
