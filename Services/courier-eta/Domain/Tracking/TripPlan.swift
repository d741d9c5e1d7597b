import Foundation
import OrderDomain

/// A proposed order of a courier's stops with further deliveries added; it changes nothing.
///
/// The courier's own stops keep their order. Picked-up deliveries come first, then deliveries in a store, then returns.
/// The added ones of each kind follow the courier's own, the nearest door next: bags that are moved together were one
/// courier's, so their doors lie together, and an order by promise would cross between them. Bags of one kind for one
/// door are one stop, unless one courier has some of them and another the rest. A delivery whose door is not ahead is
/// before no other, as `orders` counts stops; the courier's own keeps its number.
struct TripPlan: Sendable {
    /// In order, each as it is after the change: the courier's, with the number of stops before it.
    let stops: [Delivery]

    /// - Parameters:
    ///   - own: the courier's live deliveries.
    ///   - places: where couriers were last seen.
    /// - Throws: ``ChangeRefusal`` for a delivery that cannot get another courier.
    init(
        adding added: [Delivery], to courier: Courier, with own: [Delivery], places: [CourierID: Coordinate],
        at now: Date
    ) throws(ChangeRefusal) {
        var planned: [Delivery] = []
        var stopsBefore = 0
        for part in Part.allCases {
            let present = own.filter { Part($0) == part }.sorted { $0.placeOnTrip < $1.placeOnTrip }
            let kept = present.filter(Self.isAhead)
            let further = added.filter { Part($0) == part }
            let start = Self.start(of: part, further, after: kept.last, courier: courier.id, places: places)
            let ordered = kept + Self.nearestNext(further, from: start)
            var bags = Dictionary(grouping: ordered, by: DoorStop.init)
            var stops: [Delivery] = []
            for delivery in ordered {
                guard let together = bags.removeValue(forKey: DoorStop(delivery)) else { continue }
                var isStop = false
                for (_, bag) in together.enumerated().sorted(by: Self.isEarlierBag) {
                    var next = bag
                    _ = try next.apply(.courier(courier, stopsBefore: stopsBefore), at: now)
                    stops.append(next)
                    if Self.isAhead(next) { isStop = true }
                }
                if isStop { stopsBefore += 1 }
            }
            // By the numbers of before: those of the plan count no stop for them.
            let former = Dictionary(uniqueKeysWithValues: present.map { ($0.id, $0.placeOnTrip) })
            for left in present where !Self.isAhead(left) {
                let index = stops.firstIndex { stop in former[stop.id].map { left.placeOnTrip < $0 } ?? true }
                stops.insert(left, at: index ?? stops.endIndex)
            }
            planned += stops
        }
        stops = planned
    }

    /// A part of the trip, in the order of the courier's page.
    private enum Part: CaseIterable {
        case carried, inStore, returning

        init(_ delivery: Delivery) {
            switch delivery.status {
            case .preparing: self = .inStore
            case .handedOver(.returning): self = .returning
            case .handedOver: self = .carried
            }
        }
    }

    /// The door of bags that are handed over together: bags that another courier has are fetched first.
    struct DoorStop: Hashable {
        let door: Coordinate
        /// The courier with the goods; nil for goods in a store.
        let carrier: CourierID?

        init(_ delivery: Delivery) {
            door = delivery.door
            carrier = delivery.status.courierStatus == nil ? (delivery.fetchedFrom ?? delivery.courier)?.id : nil
        }
    }

    /// Whether a delivery has its door ahead, with goods in a store or carried ones.
    private static func isAhead(_ delivery: Delivery) -> Bool {
        delivery.status.courierStatus != nil || delivery.isDoorAhead
    }

    /// Where the courier is before the first of the added deliveries: with the courier who has them, else at the last
    /// own door, else where they were last seen, else at the store.
    private static func start(
        of part: Part, _ added: [Delivery], after last: Delivery?, courier: CourierID,
        places: [CourierID: Coordinate]
    ) -> Coordinate? {
        guard let first = added.first else { return nil }
        switch part {
        case .inStore: return first.store.location
        case .carried, .returning:
            let carrier = (first.fetchedFrom ?? first.courier).flatMap { places[$0.id] }
            return carrier ?? last?.door ?? places[courier] ?? first.store.location
        }
    }

    /// The order of one stop's bags, as on the courier's page.
    private static func isEarlierBag(
        _ one: EnumeratedSequence<[Delivery]>.Element, _ other: EnumeratedSequence<[Delivery]>.Element
    ) -> Bool {
        (one.element.reference, one.element.bag.number, one.offset)
            < (other.element.reference, other.element.bag.number, other.offset)
    }

    private static func nearestNext(_ deliveries: [Delivery], from start: Coordinate?) -> [Delivery] {
        var left = deliveries.sorted { $0.id < $1.id }
        guard var place = start else { return left }
        var ordered: [Delivery] = []
        while !left.isEmpty {
            let metres = left.map { $0.door.distance(to: place) }
            let next = metres.indices.min { metres[$0] < metres[$1] } ?? 0
            place = left[next].door
            ordered.append(left.remove(at: next))
        }
        return ordered
    }
}
