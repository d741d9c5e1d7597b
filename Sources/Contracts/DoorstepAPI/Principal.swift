public import OrderDomain

/// The actor of a request or change, as parsed identifiers, with the token's scope.
///
/// Every service decides visibility by ``sees(_:)`` and operators' permissions by ``may(_:)``, so that all services
/// agree.
public struct Principal: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        case customer(CustomerID)
        /// A shop's backend.
        case store(String)
        case courier(CourierID)
        case `operator`(String)
        /// A Doorstep service or timer, by its name.
        case system(String)
    }

    public let subject: Subject
    public let scope: TokenScope
    /// An operator's display name; it affects no decision.
    public let displayName: DisplayName?

    public init(_ subject: Subject, scope: TokenScope = TokenScope(), displayName: DisplayName? = nil) {
        self.subject = subject
        self.scope = scope
        self.displayName = displayName
    }

    /// Whether the principal may see an object; callers answer 404 otherwise, as for an unknown object.
    public func sees(_ owner: Ownership) -> Bool {
        guard scope.includes(owner) else { return false }
        return switch subject {
        case .customer(let id): owner.customer == id
        case .courier(let id): owner.courier == id
        case .store, .operator, .system: true
        }
    }

    /// Whether an operator's scope suffices; the permissions of other roles do not depend on a scope.
    public func may(_ needed: OperatorScope) -> Bool {
        guard case .operator = subject else { return true }
        return scope.operator ?? .supervisor >= needed
    }

    /// Whether they may set a status: a courier those of the trip, a customer and a viewer none.
    public func maySet(_ code: StatusCode) -> Bool {
        switch subject {
        case .operator: may(.dispatcher)
        case .system, .store: true
        case .customer: false
        case .courier:
            switch code {
            case .toStore, .atStore, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning, .delivered,
                .returned:
                true
            case .placed, .accepted, .picking, .staged, .unassigned, .assigned, .cancelled, .failed: false
            }
        }
    }
}

/// A token's restrictions; nil means unrestricted.
public struct TokenScope: Hashable, Sendable {
    public let store: StoreID?
    public let delivery: DeliveryID?
    /// An operator's permissions; nil for other roles.
    public let `operator`: OperatorScope?

    public init(store: StoreID? = nil, delivery: DeliveryID? = nil, operator: OperatorScope? = nil) {
        self.store = store
        self.delivery = delivery
        self.operator = `operator`
    }

    /// Whether an object lies within the scope.
    ///
    /// An object without a store, or without a delivery, is outside every scope that names one: a summary of several
    /// deliveries would show those of other stores too.
    public func includes(_ owner: Ownership) -> Bool {
        (store == nil || owner.store == store) && (delivery == nil || owner.delivery == delivery)
    }
}

/// The owners of a delivery, or of an object derived from it.
public struct Ownership: Hashable, Sendable {
    public let customer: CustomerID
    /// Nil where the object spans stores.
    public let store: StoreID?
    /// Nil where the object spans deliveries.
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
