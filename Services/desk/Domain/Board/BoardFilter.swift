import DoorstepAPI
import OrderDomain

/// A reader's filter of the board, in the form of its URL.
struct BoardFilter: Hashable, Sendable {
    /// Finds orders, customers, couriers and addresses, among ended deliveries too.
    var search: String?
    var store: String?
    var courier: String?
    /// An operator's subject.
    var owner: String?
    /// One lane only, with more of its rows.
    var lane: Lane?
    /// Only these deliveries, as they were chosen on the map; empty for all.
    var chosen: Set<DeliveryID> = []

    static let all = BoardFilter()
    /// The longest search in code points, as `orders` has it.
    static let searchCharactersMax = 64
    /// The largest count of chosen deliveries: as many as a form changes together.
    static let chosenMax = 100

    /// Rows of a lane that are shown with the others, and of one that is shown alone.
    var rowsMax: Int { lane == nil && chosen.isEmpty ? 20 : 200 }

    func includes(_ row: BoardBody.Row, _ triage: Triage) -> Bool {
        (store == nil || row.store.rawValue == store) && (courier == nil || row.courier?.rawValue == courier)
            && (owner == nil || triage.owner?.subject == owner) && (chosen.isEmpty || chosen.contains(row.id))
    }

    /// The filter as a URL query with its question mark; empty without a filter.
    var query: String {
        URLQuery.text([
            ("q", search), ("store", store), ("courier", courier), ("owner", owner), ("lane", lane?.rawValue),
            ("chosen", chosen.isEmpty ? nil : chosen.map(\.rawValue).sorted().joined(separator: ",")),
        ])
    }

    func replacing(lane: Lane?) -> BoardFilter {
        var filter = self
        filter.lane = lane
        return filter
    }
}
