import Foundation
import OrderDomain

/// The time at which every test's delivery is placed.
let start = Date(timeIntervalSince1970: 1_795_284_000)

func minutes(_ count: Double) -> Date { start.addingTimeInterval(count * 60) }

let anna = Courier(id: courierID("anna"), name: "Anna", vehicle: .bicycle, phone: "+4915112345678")
let ben = Courier(id: courierID("ben"), name: "Ben", vehicle: .car, phone: nil)
let milk = itemID("milk")
let eggs = itemID("eggs")
let oatMilk = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 40)
let soyMilk = Substitute(name: "Soy milk", quantity: 2, priceDifferenceMinorUnits: -10)

func courierID(_ text: String) -> CourierID { required(CourierID(rawValue: text)) }
func itemID(_ text: String) -> ItemID { required(ItemID(rawValue: text)) }
func promise(_ from: Double, _ to: Double) -> Promise { required(Promise(start: minutes(from), end: minutes(to))) }

private func required<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("a fixture is valid") }
    return value
}

let cornerShop = Store(
    id: required(StoreID(rawValue: "store-1")), name: "Corner Shop",
    location: required(Coordinate(latitude: 52.52, longitude: 13.40)), timeZone: "Europe/Berlin")

/// Two lines of a basket, placed at `start`, promised for 60 to 90 minutes later.
///
/// - Parameter proofs: required for the whole delivery; the eggs require `ofEggs` besides.
func placedDelivery(
    verification: HandoffVerification = .none, store: Store = cornerShop, proofs: Set<ProofKind> = [],
    ofEggs: [ProofKind]? = nil, barcode: String? = "NH-1042-1"
) -> Delivery {
    Delivery(
        id: DeliveryID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        order: OrderID(UUID(uuid: (16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1))),
        reference: "A-1001", customer: required(CustomerID(rawValue: "customer-1")),
        store: store,
        bag: Bag(number: 1, count: 1), door: required(Coordinate(latitude: 52.53, longitude: 13.42)),
        promise: promise(60, 90),
        handoff: required(Handoff(method: .handToCustomer, verification: verification)),
        items: [
            Item(id: milk, name: "Milk", quantity: 2, ifUnavailable: .ask),
            Item(id: eggs, name: "Eggs", quantity: 10, ifUnavailable: .refund, requires: ofEggs),
        ],
        placedAt: start, proof: proofs.isEmpty ? nil : DeliveryProof(required: proofs, barcode: barcode))
}

/// A delivery brought into a status by an operator, with Anna as its courier where it has one.
func delivery(in status: DeliveryStatus, of store: Store = cornerShop) throws -> Delivery {
    var delivery = placedDelivery(store: store)
    switch status {
    case .preparing(let store, let courier):
        _ = try delivery.apply(.override(store.code, reason: "set up"), at: start)
        if courier != .unassigned {
            _ = try delivery.apply(.courier(anna), at: start)
            _ = try delivery.apply(.status(courier.code, reason: nil), at: start)
        }
    case .handedOver(let tail):
        _ = try delivery.apply(.courier(anna), at: start)
        if tail == .cancelled {
            _ = try delivery.apply(.status(.cancelled, reason: nil), at: start)
        } else {
            _ = try delivery.apply(.override(.pickedUp, reason: "set up"), at: start)
            _ = try delivery.apply(.override(tail.code, reason: "set up"), at: start)
        }
    }
    return delivery
}
