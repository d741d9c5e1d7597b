import Foundation

/// The board as a filter leaves it, at one revision.
struct BoardView: Sendable {
    /// Results of a search that are read at most.
    static let foundMax = 500

    let revision: Int
    /// The revision at which a row of it changed last.
    let changedAt: Int
    /// Domain time.
    let asOf: Date
    /// Domain time of the last whole reading; nil before the first.
    let readAt: Date?
    let lanes: [Board.LaneView]
    let counts: [Lane: Int]
    /// Of the stores with most deliveries; UTC for an empty board.
    let timeZone: TimeZone
    /// Whether the filter's search finds more than ``foundMax``, of which the view has the worst.
    var foundHasMore = false

    /// A sentence for each part that the view leaves out.
    var notices: [String] {
        foundHasMore
            ? ["More than \(Self.foundMax) are found; search for something narrower, or choose a store."] : []
    }
}
