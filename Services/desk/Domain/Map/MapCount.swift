import DoorstepAPI
import Foundation

/// The number of live deliveries on the map, and why the others are not on it.
struct MapCount: Hashable, Sendable {
    var shown = 0
    var otherDay = 0
    var placeless = 0
    var filtered = 0

    /// - Parameters:
    ///   - entries: of the board.
    ///   - now: domain time.
    init(_ entries: some Sequence<Board.Entry>, _ filter: MapFilter, at now: Date) {
        var everyDay = filter
        everyDay.day = .every
        for entry in entries where entry.row.endedAt == nil {
            if !everyDay.includes(entry, at: now) {
                filtered += 1
            } else if !filter.includes(entry, at: now) {
                otherDay += 1
            } else if entry.row.door == nil {
                placeless += 1
            } else {
                shown += 1
            }
        }
    }

    /// The line above the map: `199 of 207 live deliveries are on the map; 8 are for another day`.
    var text: String {
        let live = shown + otherDay + placeless + filtered
        func part(_ count: Int, _ one: String, _ more: String) -> String? {
            count == 0 ? nil : "\(count) \(count == 1 ? one : more)"
        }
        let others = [
            part(otherDay, "is for another day", "are for another day"),
            part(placeless, "has no place", "have no place"),
            part(filtered, "is left out by the filter", "are left out by the filter"),
        ].compactMap(\.self)
        let sentence = "\(shown) of \(live) live deliveries are on the map"
        return others.isEmpty ? sentence : "\(sentence); \(others.joined(separator: ", "))"
    }
}
