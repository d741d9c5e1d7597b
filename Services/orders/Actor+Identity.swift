import OrderDomain
import ServiceRuntime

extension Actor {
    /// Who a token speaks for.
    init(_ identity: Identity) throws {
        switch identity.role {
        case .customer:
            guard let id = CustomerID(rawValue: identity.subject) else { throw Problem.unauthenticated() }
            self = .customer(id, try Scope(identity))
        case .courier:
            guard let id = CourierID(rawValue: identity.subject) else { throw Problem.unauthenticated() }
            self = .courier(id)
        case .store:
            self = .store(subject: identity.subject, only: try Scope(identity).store)
        case .operator: self = .operator(identity.subject)
        }
    }
}

extension Actor.Scope {
    /// What a token is good for.
    ///
    /// - Throws: 401 where it is scoped to something that cannot be: then it is good for nothing.
    init(_ identity: Identity) throws {
        func read<ID: RawRepresentable>(_ text: String?, _ type: ID.Type) throws -> ID? where ID.RawValue == String {
            guard let text else { return nil }
            guard let id = ID(rawValue: text) else { throw Problem.unauthenticated() }
            return id
        }
        self.init(
            store: try read(identity.store, StoreID.self), delivery: try read(identity.delivery, DeliveryID.self))
    }
}
