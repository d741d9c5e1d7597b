/// Something that is true beside the status.
public enum Flag: String, CaseIterable, Hashable, Comparable, Codable, Sendable {
    /// The promise will be missed, and the customer has been told.
    case delayed
    /// The promise was moved; the first one is kept for the record.
    case rescheduled
    /// Someone must look into it; the customer sees a problem until it is released.
    case onHold = "on_hold"
    /// A question waits for the customer's answer.
    case needsCustomer = "needs_customer"
    /// No fix from the courier's phone for too long.
    case courierSilent = "courier_silent"
    /// The courier has other stops on this trip.
    case batched
    /// The courier was taken off and another one is being found.
    case reassigning
    /// An operator reopened the delivery after its end.
    case disputed

    public static func < (one: Flag, other: Flag) -> Bool { one.rawValue < other.rawValue }
}

/// What a customer calls the place their delivery is in.
public enum Phase: String, CaseIterable, Hashable, Codable, Sendable {
    case received, picking, packed
    case onTheWay = "on_the_way"
    case arriving
    case atDoor = "at_door"
    case problem, ended

    /// The phase of a delivery, by precedence: an end, then trouble, then the place nearest the door.
    public init(_ status: DeliveryStatus, flags: Set<Flag>) {
        switch status {
        case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed):
            self = .ended
        case .handedOver(.attempted), .handedOver(.returning):
            self = .problem
        case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.atDoor):
            if flags.contains(.onHold) { self = .problem } else { self = Phase(undisturbed: status) }
        }
    }

    private init(undisturbed status: DeliveryStatus) {
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

    /// How near the door a phase is; an order shows that of its furthest live delivery.
    var furtherness: Int {
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

/// Which service writes a delivery's activity.
public enum Holder: String, CaseIterable, Hashable, Codable, Sendable {
    case orders
    case courierETA = "courier-eta"

    /// The one writer for this status and these flags: the baton is never in two hands.
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

/// What an order is called, from what its deliveries are.
public enum OrderStatus: Hashable, Sendable {
    case live(Phase)
    case delivered
    /// Some arrived; the rest ended otherwise.
    case partiallyDelivered
    case cancelled
    /// All ended, none arrived, and not all by a cancel.
    case notDelivered

    /// The status of an order that has these deliveries; nil for none.
    public init?(_ deliveries: [(status: DeliveryStatus, flags: Set<Flag>)]) {
        guard !deliveries.isEmpty else { return nil }
        let live = deliveries.filter { !$0.status.isEnded }.map { Phase($0.status, flags: $0.flags) }
        if let furthest = live.max(by: { $0.furtherness < $1.furtherness }) {
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

    /// The word on the wire: the phase while live, then how it ended.
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
