import Foundation

/// The board as a filter leaves it, at one revision.
struct BoardView: Sendable {
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
}
