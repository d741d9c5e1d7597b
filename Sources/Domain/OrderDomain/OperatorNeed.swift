/// The reason why a delivery waits for an operator, the most urgent first.
///
/// It comes before any risk of being late: a courier at a door waits for a decision, and no estimate covers it. The
/// cases are in the order of urgency, from which the SQL of the board is made too.
public enum OperatorNeed: Int, CaseIterable, Hashable, Comparable, Sendable {
    /// A proof is missing at the door, and a person is asked to decide.
    ///
    /// The proof itself settles that too, where it can still be given.
    case unproven
    /// A courier was at the door and could not hand over.
    case attempted
    case returning
    case held
    /// A correction waits for a person: the provider may have former values, or the customer asks for another address.
    case correction
    /// The courier's phone is silent away from the door, so the delivery's place is unknown.
    case silent
    /// Packed without a courier, or without the courier that it had.
    case unassigned
    /// Its end is disputed and no operator has decided yet, or an operator reopened it after its end.
    case disputed

    /// The most urgent need of a delivery; nil without one.
    ///
    /// After the end only a dispute is one.
    /// - Parameters:
    ///   - hasOpenDispute: whether the end is disputed and no operator has decided yet.
    ///   - isUnproven: whether a person has to decide about a missing proof.
    ///   - isCorrectionDue: whether a correction waits for a person.
    public init?(
        _ status: DeliveryStatus, flags: Set<Flag>, hasOpenDispute: Bool = false, isUnproven: Bool = false,
        isCorrectionDue: Bool = false
    ) {
        let need: OperatorNeed? =
            status.isEnded
            ? (hasOpenDispute ? .disputed : nil)
            : Self.allCases.first { $0.isTrue(of: status, flags, isUnproven, isCorrectionDue) }
        guard let need else { return nil }
        self = need
    }

    /// Whether a live delivery has it, besides other needs.
    private func isTrue(
        of status: DeliveryStatus, _ flags: Set<Flag>, _ isUnproven: Bool, _ isCorrectionDue: Bool
    ) -> Bool {
        switch self {
        case .unproven: isUnproven
        case .attempted: status == .handedOver(.attempted)
        case .returning: status == .handedOver(.returning)
        case .held: flags.contains(.onHold)
        case .correction: isCorrectionDue
        case .silent: flags.contains(.courierSilent) && status != .handedOver(.atDoor)
        case .unassigned: flags.contains(.reassigning) || status == .preparing(.staged, .unassigned)
        case .disputed: flags.contains(.disputed)
        }
    }

    /// The rank of a delivery with or without a need, the lowest first.
    public static func rank(_ need: OperatorNeed?) -> Int { need?.rawValue ?? allCases.count }

    public static func < (one: OperatorNeed, other: OperatorNeed) -> Bool { one.rawValue < other.rawValue }
}
