import CourierSimulation
import DoorstepAPI
import EmulatorAPI
import Foundation
import OrderDomain

/// The demo's script: two orders of one customer, one of them split, from placed to dismissed.
///
/// Three deliveries are live at once, so a summary appears; one picker asks about a substitute; two couriers ride. One
/// stands still on the way and is late, which is alerted once; the other has two stops, and a phone that goes offline
/// and comes back. The customer's iPhone is offline for a while too, after which its app brings the cards up to date.
struct DemoScript: Sendable {
    /// The deliveries by their part in the script.
    enum Part: String, CaseIterable, Sendable {
        /// The order that is not split.
        case supper
        /// The order that is.
        case larder, cellar
    }

    enum Act: Hashable, Sendable {
        case status(StatusCode, Part)
        case found(String, Part)
        case proposed(String, Part)
        /// The customer taps a button of the card on the emulated iPhone, or presses its link without one, unless a
        /// viewer of the demo has.
        case approved(String, Part)
        case assigned(String, [Part])
        /// A courier rides to the doors in this order and hands over at each.
        case ridden(String, [Part], RideDisruption)
        /// An action on the customer's emulated iPhone, where there is one.
        case phone(PhoneActionBody.Action)
    }

    struct Scene: Hashable, Sendable {
        /// Domain seconds from the beginning.
        let at: TimeInterval
        let act: Act
    }

    static let couriers = [
        CourierBody(id: id("mira"), name: "Mira", vehicle: .bicycle, phone: "+4520123456"),
        CourierBody(id: id("jonas"), name: "Jonas", vehicle: .car, phone: "+4520654321"),
    ]

    /// Metres a second between turns: slower than the simulation's usual speed, for traffic lights.
    static func metersPerSecond(_ vehicle: Vehicle) -> Double {
        switch vehicle {
        case .bicycle: 3.6
        case .car: 7
        }
    }

    /// The scenes in order.
    static let scenes: [Scene] = [
        (20, .status(.accepted, .supper)), (30, .status(.accepted, .larder)), (40, .status(.accepted, .cellar)),
        (60, .status(.picking, .supper)), (80, .found("rye-bread", .supper)), (110, .found("salmon", .supper)),
        (120, .status(.picking, .larder)), (140, .assigned("mira", [.supper])),
        (150, .status(.picking, .cellar)), (165, .found("coffee", .larder)), (180, .proposed("oat-milk", .larder)),
        (200, .found("dill", .supper)), (205, .phone(.goOffline)), (215, .status(.staged, .supper)),
        (225, .status(.toStore, .supper)),
        (240, .assigned("jonas", [.larder, .cellar])), (255, .found("elderflower", .cellar)),
        (265, .phone(.goOnline)),
        (285, .status(.atStore, .supper)), (300, .approved("oat-milk", .larder)),
        (315, .status(.staged, .cellar)), (330, .status(.staged, .larder)),
        (345, .ridden("mira", [.supper], .halted(after: 200, seconds: 600))),
        (360, .status(.atStore, .larder)), (362, .status(.atStore, .cellar)),
        (420, .ridden("jonas", [.larder, .cellar], .offline(after: 150, seconds: 430))),
    ].map(Scene.init)

    /// The two orders, the split one second.
    ///
    /// - Parameters:
    ///   - now: domain time; one promise leaves time enough, the other would be kept if nothing came between.
    ///   - number: distinguishes the orders' references of successive runs.
    static func orders(customer: CustomerID, now: Date, number: Int) throws -> [PlaceOrderBody] {
        guard let location = Coordinate(latitude: 55.7085, longitude: 12.5942),
            let home = Coordinate(latitude: 55.6935, longitude: 12.5752),
            let summerHouse = Coordinate(latitude: 55.7305, longitude: 12.5522),
            let tight = Promise(start: now.addingTimeInterval(8 * 60), end: now.addingTimeInterval(24 * 60)),
            let ample = Promise(start: now.addingTimeInterval(10 * 60), end: now.addingTimeInterval(50 * 60))
        else { preconditionFailure("Copenhagen is on earth, and a promise ends after it starts") }
        let store = Store(
            id: id("nordhavn"), name: "Nordhavn", location: location, timeZone: "Europe/Copenhagen",
            currency: CurrencyCode(rawValue: "DKK"))
        func order(
            _ letter: String, _ door: Coordinate, _ promise: Promise, _ parts: [[PlaceOrderBody.Line]]
        ) -> PlaceOrderBody {
            PlaceOrderBody(
                reference: "\(letter)-\(number)", customer: customer, store: store, promise: promise, door: door,
                handoff: nil, deliveries: parts.map { .init(items: $0) })
        }
        return [
            order(
                "A", home, tight,
                [[line("rye-bread", "Rye bread"), line("salmon", "Smoked salmon"), line("dill", "Dill")]]),
            order(
                "B", summerHouse, ample,
                [
                    [line("coffee", "Coffee beans", 2), line("oat-milk", "Oat milk", 3)],
                    [line("elderflower", "Elderflower cordial", 2)],
                ]),
        ]
    }

    private static func line(_ item: String, _ name: String, _ quantity: Int = 1) -> PlaceOrderBody.Line {
        .init(id: id(item), name: name, quantity: quantity, ifUnavailable: .ask)
    }
}

extension DemoScript {
    /// An identifier that is written in the script itself.
    static func id<ID: Identifier>(_ text: String) -> ID {
        guard let id = ID(rawValue: text) else { preconditionFailure("the script's names are identifiers") }
        return id
    }
}
