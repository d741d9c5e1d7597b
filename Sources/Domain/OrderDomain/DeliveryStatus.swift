/// Where a delivery is between the basket and the door.
///
/// Until pickup the store and the courier each move on their own; from pickup on there is one way for both.
public enum DeliveryStatus: Hashable, Sendable {
    case preparing(StoreStatus, CourierStatus)
    case handedOver(TailStatus)

    /// What every delivery begins with.
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

    /// Whether the delivery is over, however it ended.
    public var isEnded: Bool {
        switch self {
        case .preparing: false
        case .handedOver(let tail): tail.isEnd
        }
    }

    /// Every status that can be: 16 pairs before pickup and the tail.
    public static let all: [DeliveryStatus] =
        StoreStatus.allCases.flatMap { store in CourierStatus.allCases.map { .preparing(store, $0) } }
        + TailStatus.allCases.map(DeliveryStatus.handedOver)
}

/// What the store is doing with the basket, before pickup.
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

/// Where the courier is, before pickup.
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

/// What happens from pickup on, and how it ends.
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

/// One word for one place in any region: what commands ask for and wires carry.
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

    /// Which region a code belongs to, with its place there.
    public enum Place: Hashable, Sendable {
        case store(StoreStatus)
        case courier(CourierStatus)
        case tail(TailStatus)
    }

    public var place: Place {
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

    /// How far along a code is; comparable within a region only (`picked_up` and above are one region).
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
}
