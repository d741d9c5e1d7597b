package import DoorstepAPI
package import Foundation
package import OrderDomain

/// Deliveries placed at six on a Saturday in Copenhagen, for the tests of whatever shows or moves deliveries.
package enum SampleDeliveries {
    package static let placedAt = Date(timeIntervalSince1970: 1_795_280_400)

    package static func id<ID: Identifier>(_ text: String) -> ID {
        guard let id = ID(rawValue: text) else { preconditionFailure("\(text) is no identifier") }
        return id
    }

    package static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else { preconditionFailure("off earth") }
        return place
    }

    package static func delivery(
        number: Int = 1, door: Double = 55.7205, _ changes: [DeliveryChange] = [], at now: Date = placedAt
    ) -> DeliveryBody {
        DeliveryBody(
            whole(number: number, door: door, changes, at: now), dropOff: nil, links: [],
            for: Principal(.operator("ada")))
    }

    package static func whole(
        number: Int = 1, door: Double = 55.7205, _ changes: [DeliveryChange], at now: Date = placedAt,
        proof: DeliveryProof? = nil
    ) -> Delivery {
        let text = "00000000-0000-4000-8000-00000000000\(number)"
        guard let promise = Promise(start: placedAt.addingTimeInterval(1200), end: placedAt.addingTimeInterval(3000)),
            let handoff = Handoff(method: .handToCustomer, verification: .none)
        else { preconditionFailure("a promise ends after it starts") }
        var delivery = Delivery(
            id: id(text), order: id("00000000-0000-4000-8000-0000000000aa"), reference: "A-1043", customer: id("mette"),
            store: Store(
                id: id("nordhavn"), name: "Nordhavn", location: place(55.7085, 12.5942), timeZone: "Europe/Copenhagen"),
            bag: Bag(number: number, count: 2), door: place(door, 12.5712), promise: promise, handoff: handoff,
            items: [Item(id: id("milk"), name: "Milk", quantity: 2, ifUnavailable: .ask)], placedAt: placedAt,
            proof: proof)
        for change in changes {
            do { _ = try delivery.apply(change, at: now) } catch { preconditionFailure("\(change): \(error)") }
        }
        return delivery
    }

    package static let mira = Courier(id: id("mira"), name: "Mira", vehicle: .bicycle, phone: nil)
    package static let toEnRoute: [DeliveryChange] = [
        .status(.accepted, reason: nil), .status(.picking, reason: nil), .courier(mira), .status(.staged, reason: nil),
        .status(.pickedUp, reason: nil), .status(.enRoute, reason: nil),
    ]

    package static func at(_ minutes: Double) -> Date { placedAt.addingTimeInterval(minutes * 60) }
}
