import DoorstepAPI
import Foundation
import OrderDomain

/// A reader's filter of the map, in the form of its URL.
struct MapFilter: Hashable, Sendable {
    /// The store, courier, owner and lane; a search of the board is none of the map.
    var board = BoardFilter.all
    var day = MapDay.today

    /// - Parameter now: domain time.
    func includes(_ entry: Board.Entry, at now: Date) -> Bool {
        (board.lane == nil || board.lane == entry.lane) && board.includes(entry.row, entry.triage)
            && day.includes(entry.row, at: now)
    }

    /// Whether a courier is shown: each without a filter but a day, the one that it names, and those with a shown door.
    ///
    /// - Parameter shown: the deliveries whose doors are shown.
    func includes(
        _ courier: CourierID, with deliveries: some Sequence<DeliveryID>, shown: Set<DeliveryID>
    ) -> Bool {
        board == .all || board.courier == courier.rawValue || deliveries.contains { shown.contains($0) }
    }

    /// The filter as a URL query with its question mark; empty without a filter.
    var query: String {
        guard let day = day.text else { return board.query }
        return board.query.isEmpty ? "?day=\(day)" : board.query + "&day=\(day)"
    }
}
