import ArrivalEstimate
import Foundation
import Messages
import OrderDomain

extension Place {
    init(_ coordinate: Coordinate) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}

extension Stage {
    /// The part of the way a delivery is on; nil while nobody goes for it, and after its end.
    init?(_ delivery: Delivery) {
        guard delivery.courier != nil else { return nil }
        switch delivery.status {
        case .preparing(_, .unassigned): return nil
        case .preparing(_, .assigned): self = .assigned
        case .preparing(_, .toStore), .preparing(_, .atStore): self = .toStore
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving): self = .carrying
        case .handedOver(.atDoor), .handedOver(.attempted): self = .atDoor
        case .handedOver(.returning): self = .returning
        case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed): return nil
        }
    }

    /// Whether there is an arrival to estimate.
    var isUnderWay: Bool {
        switch self {
        case .assigned, .toStore, .carrying: true
        case .atDoor, .returning: false
        }
    }
}

extension Route {
    /// What is left of the way to a delivery's door; nil without a courier.
    ///
    /// Before pickup it leads through the store. Other doors come first where the trip says so.
    /// What the courier has stayed already at the next of several stops is not stayed again.
    init?(_ delivery: Delivery, carried: [Delivery], track: CourierTrack, stays: StopStays) {
        guard let courier = delivery.courier else { return nil }
        let stopsBefore =
            carried
            .filter { $0.id != delivery.id && Stage($0) == .carrying && $0.stopsBefore < delivery.stopsBefore }
            .sorted { ($0.stopsBefore, $0.id) < ($1.stopsBefore, $1.id) }
            .map { Stop(place: Place($0.door), staySeconds: stays.doorSeconds) }
        let store = Stop(
            place: Place(delivery.store.location), staySeconds: stays.storeSeconds(delivery.store.id.rawValue))
        let isBeforePickup = delivery.status.courierStatus != nil
        var through = isBeforePickup ? stopsBefore + [store] : stopsBefore
        if let next = through.first {
            through[0] = Stop(
                place: next.place, staySeconds: next.staySeconds - track.secondsStayed(at: next.place))
        }
        self.init(mode: TravelMode(courier.vehicle), through: through, to: Place(delivery.door))
    }
}

extension DeliveryAhead {
    /// - Parameter route: what is left of the way, through the store before pickup.
    init(_ delivery: Delivery, route: Route, stays: StopStays) {
        self.init(
            route: route, store: Place(delivery.store.location), storeName: delivery.store.id.rawValue,
            courier: delivery.courier?.id.rawValue, placedAt: delivery.placedAt, pickedUpAt: delivery.pickedUpAt,
            promiseStart: delivery.promise.start, storeStaySeconds: stays.storeSeconds(delivery.store.id.rawValue),
            items: delivery.itemCount, distinctItems: delivery.items.count)
    }
}

extension TravelMode {
    init(_ vehicle: Vehicle) {
        switch vehicle {
        case .bicycle: self = .bicycle
        case .car: self = .car
        }
    }
}

extension SignRecord {
    /// What `orders` has heard already, as its snapshot shows: anything else will be told, again if need be.
    init(_ delivery: Delivery) {
        let reached: Set<Sign> =
            switch delivery.status {
            case .preparing(_, .unassigned), .preparing(_, .assigned): []
            case .preparing(_, .toStore), .preparing(_, .atStore), .handedOver(.pickedUp): [.nearStore]
            case .handedOver(.enRoute): [.nearStore, .leftStore]
            case .handedOver(.arriving): [.nearStore, .leftStore, .arriving]
            case .handedOver: [.nearStore, .leftStore, .arriving, .atDoor]
            }
        self.init(
            reached: reached, isSilent: delivery.flags.contains(.courierSilent),
            isLate: delivery.flags.contains(.delayed))
    }

    /// What was noticed and `orders` does not show to have heard.
    func unheard(by delivery: Delivery) -> [Sign] {
        let heard = SignRecord(delivery)
        guard Stage(delivery) != nil else { return [] }
        var signs = reached.subtracting(heard.reached).sorted { $0.order < $1.order }
        if isSilent != heard.isSilent { signs.append(isSilent ? .silent : .heard) }
        if isLate != heard.isLate { signs.append(isLate ? .late : .onTime) }
        return signs
    }
}

extension Sign {
    /// Whether a fix showed it: it happened then, not when somebody looked.
    var isPlace: Bool {
        switch self {
        case .nearStore, .leftStore, .arriving, .atDoor, .standing, .moving: true
        case .silent, .heard, .late, .onTime: false
        }
    }

    /// Whether a card says it at once; standing is shown only once it is worth telling, by the watch's own word.
    var isForScreens: Bool {
        switch self {
        case .standing, .moving: false
        case .nearStore, .leftStore, .arriving, .atDoor, .silent, .heard, .late, .onTime: true
        }
    }

    fileprivate var order: Int { Sign.allCases.firstIndex(of: self) ?? 0 }

    /// The wire's word for it.
    var milestone: Milestone {
        switch self {
        case .nearStore: .nearStore
        case .leftStore: .leftStore
        case .arriving: .arriving
        case .atDoor: .atDoor
        case .standing: .standing
        case .moving: .moving
        case .silent: .silent
        case .heard: .heard
        case .late: .late
        case .onTime: .onTime
        }
    }
}

extension Estimate {
    init(_ estimate: ArrivalEstimate) {
        self.init(
            arrivesAt: estimate.arrivesAt, earliest: estimate.earliest, latest: estimate.latest, madeAt: estimate.madeAt
        )
    }
}
