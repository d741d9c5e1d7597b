public import OrderDomain

/// Who makes a request or a change, over parsed identifiers, and what their token is scoped to.
///
/// Every service decides by ``sees(_:)`` whose a thing is, and by ``may(_:)`` what an operator may do with it, so that no
/// two of them can differ.
public struct Principal: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        case customer(CustomerID)
        /// A shop's backend.
        case store(String)
        case courier(CourierID)
        case `operator`(String)
        /// One of our own services or timers, by its name.
        case system(String)
    }

    public let subject: Subject
    public let scope: TokenScope
    /// What an operator is called beside their subject; it decides nothing.
    public let displayName: DisplayName?

    public init(_ subject: Subject, scope: TokenScope = TokenScope(), displayName: DisplayName? = nil) {
        self.subject = subject
        self.scope = scope
        self.displayName = displayName
    }

    /// Whether a thing is theirs to see; callers answer 404 where it is not, as if there were none.
    public func sees(_ owner: Ownership) -> Bool {
        guard scope.includes(owner) else { return false }
        return switch subject {
        case .customer(let id): owner.customer == id
        case .courier(let id): owner.courier == id
        case .store, .operator, .system: true
        }
    }

    /// Whether an operator's token is good for this; what the other roles may do does not depend on a scope.
    public func may(_ needed: OperatorScope) -> Bool {
        guard case .operator = subject else { return true }
        return scope.operator ?? .supervisor >= needed
    }
}

/// What a token is restricted to; nil is no restriction.
public struct TokenScope: Hashable, Sendable {
    public let store: StoreID?
    public let delivery: DeliveryID?
    /// What an operator may do; of no other role.
    public let `operator`: OperatorScope?

    public init(store: StoreID? = nil, delivery: DeliveryID? = nil, operator: OperatorScope? = nil) {
        self.store = store
        self.delivery = delivery
        self.operator = `operator`
    }

    /// Whether a thing lies within the scope.
    ///
    /// What has no store, or no delivery, is outside of every scope that names one: a summary of several deliveries
    /// would show those of other stores too.
    public func includes(_ owner: Ownership) -> Bool {
        (store == nil || owner.store == store) && (delivery == nil || owner.delivery == delivery)
    }
}

/// Whose a delivery, or what is shown of it, is.
public struct Ownership: Hashable, Sendable {
    public let customer: CustomerID
    /// Nil where the thing is not of one store.
    public let store: StoreID?
    /// Nil where the thing is not of one delivery.
    public let delivery: DeliveryID?
    public let courier: CourierID?

    public init(customer: CustomerID, store: StoreID?, delivery: DeliveryID?, courier: CourierID? = nil) {
        self.customer = customer
        self.store = store
        self.delivery = delivery
        self.courier = courier
    }

    public init(_ delivery: Delivery) {
        self.init(
            customer: delivery.customer, store: delivery.store.id, delivery: delivery.id, courier: delivery.courier?.id)
    }
}
