/// The reason why a delivery waits for an operator, the most urgent first.
///
/// It comes before any risk of being late: a courier at a door waits for a decision, and no estimate covers it.
public enum OperatorNeed: Int, CaseIterable, Hashable, Comparable, Sendable {
    /// A courier was at the door and could not hand over.
    case attempted
    case returning
    case held
    /// The courier's phone is silent away from the door, so the delivery's place is unknown.
    case silent
    /// Packed without a courier, or without the courier that it had.
    case unassigned
    /// An operator reopened it after its end.
    case disputed

    /// The most urgent need of a live delivery; nil without one, and after the end.
    public init?(_ status: DeliveryStatus, flags: Set<Flag>) {
        guard !status.isEnded else { return nil }
        if status == .handedOver(.attempted) {
            self = .attempted
        } else if status == .handedOver(.returning) {
            self = .returning
        } else if flags.contains(.onHold) {
            self = .held
        } else if flags.contains(.courierSilent), status != .handedOver(.atDoor) {
            self = .silent
        } else if flags.contains(.reassigning) || status == .preparing(.staged, .unassigned) {
            self = .unassigned
        } else if flags.contains(.disputed) {
            self = .disputed
        } else {
            return nil
        }
    }

    /// The rank of a delivery with or without a need, the lowest first.
    public static func rank(_ need: OperatorNeed?) -> Int { need?.rawValue ?? allCases.count }

    public static func < (one: OperatorNeed, other: OperatorNeed) -> Bool { one.rawValue < other.rawValue }
}
