import DoorstepAPI
import OrderDomain

extension Principal {
    /// The actor in timelines: as ``name``, for an operator with the display name at the time of the entry.
    var recordedName: String {
        guard case .operator(let subject) = subject, let displayName else { return name }
        return "operator \(displayName.recorded(with: subject))"
    }

    /// The actor in timelines: `operator ada`; for a service or timer its name alone.
    var name: String {
        switch subject {
        case .customer(let id): "customer \(id)"
        case .store(let subject): "store \(subject)"
        case .courier(let id): "courier \(id)"
        case .operator(let subject): "operator \(subject)"
        case .system(let name): name
        }
    }

    /// The actor in limits and idempotency keys, which tokens of one subject share where they are for the same store,
    /// or each for none.
    var nameInStore: String { name + (scope.store.map { " of \($0)" } ?? "") }

    /// Whether the principal's statements about a courier hold for every store.
    var speaksForAllStores: Bool {
        switch subject {
        case .operator, .system, .store: scope.store == nil
        case .customer, .courier: false
        }
    }

    func sees(_ delivery: Delivery) -> Bool { sees(Ownership(delivery)) }
}
