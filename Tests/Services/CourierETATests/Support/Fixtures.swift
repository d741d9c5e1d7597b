import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import Testing

/// The evening on which every test plays.
let start = Date(timeIntervalSince1970: 1_795_284_000)

func seconds(_ count: Double) -> Date { start.addingTimeInterval(count) }

let storePlace = Coordinate(latitude: 55.7085, longitude: 12.5942)!
/// 2.9 km south of the store.
let doorPlace = Coordinate(latitude: 55.6825, longitude: 12.5942)!

/// A place on the line from the store to the door.
func along(_ share: Double) -> Coordinate {
    Coordinate(
        latitude: storePlace.latitude + share * (doorPlace.latitude - storePlace.latitude),
        longitude: storePlace.longitude)!
}

/// A ride from store to door in 15 minutes that left at `from`, with a fix every 15 s.
func ride(from: Double, until share: Double, interval: Double = 15) -> [Fix] {
    stride(from: 0, through: 900 * share, by: interval).map {
        Fix(time: seconds(from + $0), place: along($0 / 900), accuracy: 10, speed: 3.2)
    }
}

func track(of fixes: [Fix]) -> CourierTrack {
    var track = CourierTrack()
    for fix in fixes { _ = try? track.insert(fix, receivedAt: fix.time) }
    return track
}

let mira = Courier(id: CourierID(rawValue: "mira").unsafelyUnwrapped, name: "Mira", vehicle: .bicycle, phone: nil)
let noah = Courier(id: CourierID(rawValue: "noah").unsafelyUnwrapped, name: "Noah", vehicle: .car, phone: nil)

extension Delivery {
    /// One bag, promised for 30 to 60 minutes after `start`.
    static func sample(
        id: DeliveryID = DeliveryID(UUID()), customer: String = "mette", store: String = "nordhavn",
        storeLocation: Coordinate = storePlace, door: Coordinate = doorPlace, tracksCouriers: Bool? = nil,
        proof: DeliveryProof? = nil
    ) throws -> Delivery {
        Delivery(
            id: id, order: OrderID(UUID()), reference: "G-1042",
            customer: try #require(CustomerID(rawValue: customer)),
            store: Store(
                id: try #require(StoreID(rawValue: store)), name: "Nordhavn",
                location: storeLocation,
                timeZone: "Europe/Copenhagen", tracksCouriers: tracksCouriers),
            bag: Bag(number: 1, count: 1),
            door: door,
            promise: try #require(Promise(start: seconds(1_800), end: seconds(3_600))),
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)),
            items: [Item(id: try #require(ItemID(rawValue: "milk")), name: "Milk", quantity: 2, ifUnavailable: .ask)],
            placedAt: start, proof: proof)
    }

    /// Assigned to Mira at `start`, and in this status since `time` seconds after it.
    static func sample(
        in code: StatusCode, at time: Double = 0, customer: String = "mette", door: Coordinate = doorPlace,
        tracksCouriers: Bool? = nil, proof: DeliveryProof? = nil
    ) throws -> Delivery {
        var delivery = try sample(customer: customer, door: door, tracksCouriers: tracksCouriers, proof: proof)
        try delivery.change(.courier(mira), at: 0)
        if code.rank >= 50, code != .cancelled { try delivery.change(.override(.pickedUp, reason: "test"), at: time) }
        if code != .pickedUp, code != .assigned { try delivery.change(.override(code, reason: "test"), at: time) }
        return delivery
    }

    mutating func change(_ change: DeliveryChange, at time: Double) throws {
        _ = try apply(change, at: seconds(time))
    }

    /// The snapshot that `orders` publishes of it.
    func changed(at time: Double) -> DeliveryChanged {
        DeliveryChanged(
            delivery: self, links: [DeliveryLink(verb: "details", url: "https://go.example/l/x")], cause: "status",
            changedAt: seconds(time))
    }
}
