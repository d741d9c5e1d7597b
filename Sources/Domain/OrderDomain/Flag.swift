/// A condition besides the status.
public enum Flag: String, CaseIterable, Hashable, Comparable, Codable, Sendable {
    /// The promise will be missed, or is; the customer's card shows it.
    case delayed
    /// The promise was moved; the original one stays on record.
    case rescheduled
    /// An operator holds the delivery; the customer's card shows a problem until it is released.
    case onHold = "on_hold"
    /// A proposal waits for the customer's answer.
    case needsCustomer = "needs_customer"
    /// No fix from the courier's phone for too long.
    case courierSilent = "courier_silent"
    /// The courier has other stops on this trip.
    case batched
    /// The courier was removed; the store or an operator assigns another.
    case reassigning
    /// The courier or the customer disputed the reported end, or an operator changed the status after the end; it is not
    /// on the card of an end without an open dispute.
    case disputed

    public static func < (one: Flag, other: Flag) -> Bool { one.rawValue < other.rawValue }
}

/// The stage of a delivery as its customer sees it.
public enum Phase: String, CaseIterable, Hashable, Codable, Sendable {
    case received, picking, packed
    case onTheWay = "on_the_way"
    case arriving
    case atDoor = "at_door"
    case problem, ended

    /// The phase of a status with these flags: an end comes before a problem, a problem before the rest.
    public init(_ status: DeliveryStatus, flags: Set<Flag>) {
        switch status {
        case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed):
            self = .ended
        case .handedOver(.attempted), .handedOver(.returning):
            self = .problem
        case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.atDoor):
            if flags.contains(.onHold) { self = .problem } else { self = Phase(ignoringFlags: status) }
        }
    }

    private init(ignoringFlags status: DeliveryStatus) {
        switch status {
        case .preparing(.placed, _), .preparing(.accepted, _): self = .received
        case .preparing(.picking, _): self = .picking
        case .preparing(.staged, _): self = .packed
        case .handedOver(.pickedUp), .handedOver(.enRoute): self = .onTheWay
        case .handedOver(.arriving): self = .arriving
        case .handedOver(.atDoor): self = .atDoor
        case .handedOver(.attempted), .handedOver(.returning): self = .problem
        case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed):
            self = .ended
        }
    }

    /// The phase's rank; an order shows the furthest phase of its live deliveries.
    var rank: Int {
        switch self {
        case .received: 0
        case .picking: 1
        case .packed: 2
        case .problem: 3
        case .onTheWay: 4
        case .arriving: 5
        case .atDoor: 6
        case .ended: 7
        }
    }
}

/// The service that writes a delivery's activity.
public enum Holder: String, CaseIterable, Hashable, Codable, Sendable {
    case orders
    case courierETA = "courier-eta"

    /// The one service that writes it in this status with these flags.
    public init(_ status: DeliveryStatus, flags: Set<Flag>) {
        switch status {
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.atDoor),
            .handedOver(.attempted), .handedOver(.delivered):
            self = flags.contains(.onHold) || flags.contains(.needsCustomer) ? .orders : .courierETA
        case .preparing, .handedOver(.returning), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed):
            self = .orders
        }
    }
}

/// The status of an order, derived from its deliveries.
public enum OrderStatus: Hashable, Sendable {
    case live(Phase)
    case delivered
    /// Some deliveries were delivered; the others ended otherwise.
    case partiallyDelivered
    case cancelled
    /// All ended, none was delivered, and not all were cancelled.
    case notDelivered

    /// The status of an order that has these deliveries; nil for none.
    public init?(_ deliveries: [(status: DeliveryStatus, flags: Set<Flag>)]) {
        guard !deliveries.isEmpty else { return nil }
        let live = deliveries.filter { !$0.status.isEnded }.map { Phase($0.status, flags: $0.flags) }
        if let furthest = live.max(by: { $0.rank < $1.rank }) {
            self = .live(furthest)
            return
        }
        let statuses = Set(deliveries.map(\.status))
        if statuses == [.handedOver(.delivered)] {
            self = .delivered
        } else if statuses.contains(.handedOver(.delivered)) {
            self = .partiallyDelivered
        } else if statuses == [.handedOver(.cancelled)] {
            self = .cancelled
        } else {
            self = .notDelivered
        }
    }

    /// The code in responses: the phase while live, then how the order ended.
    public var code: String {
        switch self {
        case .live(let phase): phase.rawValue
        case .delivered: "delivered"
        case .partiallyDelivered: "partially_delivered"
        case .cancelled: "cancelled"
        case .notDelivered: "not_delivered"
        }
    }
}
