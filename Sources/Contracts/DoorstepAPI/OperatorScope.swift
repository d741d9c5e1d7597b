/// The permissions of an operator's token: each scope includes those before it.
public enum OperatorScope: String, Codable, CaseIterable, Comparable, Sendable {
    /// Reads.
    case viewer
    /// May make reversible changes and transitions of the matrix: statuses, couriers, items, promises, holds, links,
    /// phones.
    case dispatcher
    /// May make irreversible changes: reopen ended deliveries, end and repeat cards, settle dead letters, republish,
    /// sign customers' tokens.
    case supervisor

    /// The widest scope in the claim `scope`, in the form of RFC 8693: words between spaces.
    ///
    /// - Returns: nil where the claim names no operator scope.
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
