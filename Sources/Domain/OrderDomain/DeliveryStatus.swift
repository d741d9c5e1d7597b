/// A delivery's progress from the basket to the door.
///
/// Until pickup the store and the courier move independently, in two regions; from pickup on there is one, the tail.
public enum DeliveryStatus: Hashable, Sendable {
    case preparing(StoreStatus, CourierStatus)
    case handedOver(TailStatus)

    /// The initial status of every delivery.
    public static let placed = DeliveryStatus.preparing(.placed, .unassigned)

    /// The code that lists and logs show: the store's until pickup, then the tail's.
    public var code: StatusCode {
        switch self {
        case .preparing(let store, _): store.code
        case .handedOver(let tail): tail.code
        }
    }

    /// The courier's own code while the two regions stand side by side.
    public var courierStatus: CourierStatus? {
        switch self {
        case .preparing(_, let courier): courier
        case .handedOver: nil
        }
    }

    /// The codes of this status that another one has not, the store's or the tail's first.
    public func codesReached(from former: DeliveryStatus) -> [StatusCode] {
        [code == former.code ? nil : code, courierStatus == former.courierStatus ? nil : courierStatus?.code]
            .compactMap(\.self)
    }

    /// Whether the delivery is over, however it ended.
    public var isEnded: Bool {
        switch self {
        case .preparing: false
        case .handedOver(let tail): tail.isEnd
        }
    }

    /// Whether the customer does not get the goods.
    var isWithoutGoods: Bool { hasGoneWrong && self != .handedOver(.attempted) }

    /// Whether the delivery failed in a way that the customer needs a reason for.
    public var hasGoneWrong: Bool {
        switch self {
        case .preparing: false
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.atDoor),
            .handedOver(.delivered):
            false
        case .handedOver(.attempted), .handedOver(.returning), .handedOver(.returned), .handedOver(.cancelled),
            .handedOver(.failed):
            true
        }
    }

    /// Every possible status: 16 pairs before pickup, and the tail's ten.
    public static let all: [DeliveryStatus] =
        StoreStatus.allCases.flatMap { store in CourierStatus.allCases.map { .preparing(store, $0) } }
        + TailStatus.allCases.map(DeliveryStatus.handedOver)
}

/// The store's progress with the basket, before pickup.
public enum StoreStatus: String, CaseIterable, Hashable, Codable, Sendable {
    case placed, accepted, picking, staged

    public var code: StatusCode {
        switch self {
        case .placed: .placed
        case .accepted: .accepted
        case .picking: .picking
        case .staged: .staged
        }
    }
}

/// The courier's progress, before pickup.
public enum CourierStatus: String, CaseIterable, Hashable, Codable, Sendable {
    case unassigned, assigned
    case toStore = "to_store"
    case atStore = "at_store"

    public var code: StatusCode {
        switch self {
        case .unassigned: .unassigned
        case .assigned: .assigned
        case .toStore: .toStore
        case .atStore: .atStore
        }
    }
}

/// The region that the store and the courier join at pickup, up to the ends.
public enum TailStatus: String, CaseIterable, Hashable, Codable, Sendable {
    case pickedUp = "picked_up"
    case enRoute = "en_route"
    case arriving
    case atDoor = "at_door"
    case attempted, returning, delivered, returned, cancelled, failed

    public var isEnd: Bool {
        switch self {
        case .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning: false
        case .delivered, .returned, .cancelled, .failed: true
        }
    }

    public var code: StatusCode {
        switch self {
        case .pickedUp: .pickedUp
        case .enRoute: .enRoute
        case .arriving: .arriving
        case .atDoor: .atDoor
        case .attempted: .attempted
        case .returning: .returning
        case .delivered: .delivered
        case .returned: .returned
        case .cancelled: .cancelled
        case .failed: .failed
        }
    }
}

/// The code of one status in any region, as requests ask for it and messages carry it.
public enum StatusCode: String, CaseIterable, Hashable, Codable, Sendable {
    case placed, accepted, picking, staged
    case unassigned, assigned
    case toStore = "to_store"
    case atStore = "at_store"
    case pickedUp = "picked_up"
    case enRoute = "en_route"
    case arriving
    case atDoor = "at_door"
    case attempted, returning, delivered, returned, cancelled, failed

    /// The region that a code belongs to, with the status in it.
    public enum Region: Hashable, Sendable {
        case store(StoreStatus)
        case courier(CourierStatus)
        case tail(TailStatus)
    }

    public var region: Region {
        switch self {
        case .placed: .store(.placed)
        case .accepted: .store(.accepted)
        case .picking: .store(.picking)
        case .staged: .store(.staged)
        case .unassigned: .courier(.unassigned)
        case .assigned: .courier(.assigned)
        case .toStore: .courier(.toStore)
        case .atStore: .courier(.atStore)
        case .pickedUp: .tail(.pickedUp)
        case .enRoute: .tail(.enRoute)
        case .arriving: .tail(.arriving)
        case .atDoor: .tail(.atDoor)
        case .attempted: .tail(.attempted)
        case .returning: .tail(.returning)
        case .delivered: .tail(.delivered)
        case .returned: .tail(.returned)
        case .cancelled: .tail(.cancelled)
        case .failed: .tail(.failed)
        }
    }

    /// The code's rank; comparable within a region only (`picked_up` and above are one region).
    public var rank: Int {
        switch self {
        case .placed, .unassigned: 10
        case .accepted, .assigned: 20
        case .toStore: 25
        case .picking: 30
        case .atStore: 35
        case .staged: 40
        case .pickedUp: 50
        case .enRoute: 60
        case .arriving: 65
        case .atDoor: 70
        case .attempted: 75
        case .returning: 80
        case .delivered, .returned, .cancelled, .failed: 100
        }
    }

    /// Whether a delivery must have a courier to be set to it.
    public var needsCourier: Bool {
        if case .courier = region { true } else { self == .pickedUp }
    }
}
