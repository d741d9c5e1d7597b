/// What an operator's token is good for: each of these includes those before it.
public enum OperatorScope: String, Codable, CaseIterable, Comparable, Sendable {
    /// Reads.
    case viewer
    /// Does what can be taken back or follows the matrix: statuses, couriers, items, promises, holds, links, phones.
    case dispatcher
    /// Does what nothing takes back: reopens what has ended, ends and repeats cards, settles dead letters, republishes,
    /// signs customers' tokens.
    case supervisor

    /// The widest of those that the claim `scope` names, as RFC 8693 writes it: words between spaces.
    ///
    /// - Returns: nil where it names none of these.
    public init?(claim: String) {
        guard let widest = claim.split(separator: " ").compactMap({ OperatorScope(rawValue: String($0)) }).max() else {
            return nil
        }
        self = widest
    }

    public static func < (one: OperatorScope, other: OperatorScope) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .dispatcher: 1
        case .supervisor: 2
        }
    }
}
