import Foundation
import OrderDomain

extension Delivery {
    /// A synthetic delivery in a status, for test events.
    ///
    /// - Throws: `ChangeRefusal`, for an unreachable status.
    static func sample(in code: StatusCode, uuid: UUID, store: StoreID, at now: Date) throws -> Delivery {
        guard let customer = CustomerID(rawValue: "test-customer"), let courier = CourierID(rawValue: "test-courier"),
            let item = ItemID(rawValue: "milk"), let currency = CurrencyCode(rawValue: "EUR"),
            let promise = Promise(start: now.addingTimeInterval(1_800), end: now.addingTimeInterval(5_400)),
            let handoff = Handoff(method: .handToCustomer, verification: .none)
        else { preconditionFailure("the sample's own values are valid") }
        var delivery = Delivery(
            id: DeliveryID(uuid), order: OrderID(uuid), reference: "TEST-1", customer: customer,
            store: Store(
                id: store, name: "Test store", location: Coordinate(clampingLatitude: 55.7089, longitude: 12.5954),
                timeZone: "Europe/Copenhagen", currency: currency),
            bag: Bag(number: 1, count: 1), door: Coordinate(clampingLatitude: 55.69, longitude: 12.55),
            promise: promise, handoff: handoff,
            items: [Item(id: item, name: "Milk", quantity: 2, ifUnavailable: .refund)], placedAt: now)
        let bringer = Courier(id: courier, name: "Mira", vehicle: .bicycle, phone: nil)
        for (index, step) in code.stepsOfSample.enumerated() {
            guard let source = ProviderID(rawValue: "test") else { preconditionFailure("the sample's source is an id") }
            let report = ProviderReport(
                source: source, sourceName: "Test", id: "\(index)", kind: step.rawValue, status: step,
                courier: step.rank > 0 && step != .cancelled && step != .unassigned ? bringer : nil, occurredAt: now,
                receivedAt: now)
            _ = try delivery.apply(.report(report), at: now)
        }
        return delivery
    }
}

extension StatusCode {
    /// The steps of a sample delivery that ends in this status.
    fileprivate var stepsOfSample: [StatusCode] {
        let store: [StatusCode] = [.accepted, .picking, .staged]
        let toStore: [StatusCode] = [.assigned, .toStore, .atStore]
        let tail: [StatusCode] = [.pickedUp, .enRoute, .arriving, .atDoor]
        switch self {
        case .placed, .unassigned: return []
        case .accepted, .picking, .staged: return store.upTo(self)
        case .assigned, .toStore, .atStore: return [.accepted] + toStore.upTo(self)
        case .pickedUp, .enRoute, .arriving, .atDoor: return store + toStore + tail.upTo(self)
        case .attempted, .delivered: return store + toStore + tail + [self]
        case .returning: return store + toStore + tail + [.attempted, self]
        case .returned: return store + toStore + tail + [.attempted, .returning, self]
        case .cancelled: return [.accepted, self]
        case .failed: return store + toStore + tail.upTo(.enRoute) + [self]
        }
    }
}

extension [StatusCode] {
    fileprivate func upTo(_ last: StatusCode) -> [StatusCode] {
        firstIndex(of: last).map { Array(self[...$0]) } ?? self
    }
}
