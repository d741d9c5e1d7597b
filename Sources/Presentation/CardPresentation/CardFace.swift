package import LiveActivity

/// Everything that a card shows at one moment, as text: what is drawn in a terminal and on a page.
///
/// ``init(_:words:now:isAlwaysOn:in:)`` makes one from what a phone knows.
package struct CardFace: Hashable, Sendable {
    /// Where the stops of the line from the store to the door are.
    package static let stops: [Double] = [0, 1.0 / 3, 2.0 / 3, 1]

    package enum Life: Hashable, Sendable {
        case live, stale, ended
    }

    /// What stands where the card is on its line.
    package enum Marker: String, Hashable, Sendable {
        case moving = "▶"
        case lost = "?"
        case paused = "‖"
        case trouble = "!"
        case back = "◀"
    }

    package struct Button: Hashable, Sendable {
        package let title: String
        /// For a row without room for every whole title.
        package let shortTitle: String
        package let url: String
        /// An open code, as of ``LiveActivity/Verb``.
        package let verb: String
    }

    package var tint: Tint
    package var life: Life
    /// One character that says the phase without colour.
    package var glyph: String
    package var store: String
    /// What follows the store: order number and bag.
    package var reference: String
    /// At most eight columns.
    package var shortPhase: String
    /// Right of the store: how many items, or how it ended.
    package var summary: String
    /// In one row, its names shortened alike where they must be.
    package var headline: String
    /// A question that is longer than one row, in two; nil for any other headline.
    package var question: String?
    /// What is left of a running timer, in minutes; nil without one.
    package var remaining: String?
    /// The same, or a clock time, in at most eight columns.
    package var remainingShort: String?
    /// The same in at most six columns.
    package var remainingShortest: String?
    package var arrival: String?
    /// The arrival's clock times alone.
    package var arrivalShort: String?
    package var promise: String?
    /// Name, vehicle, stops; nil where nobody brings it yet.
    package var courier: String?
    package var detail: String?
    /// 0 to 1; nil where there is no line.
    package var progress: Double?
    /// Whether the first stop of the line is reached.
    package var hasBegun: Bool
    package var marker: Marker
    /// What the four stops of the line are called.
    package var steps: [String]
    package var buttons: [Button]
    /// When an ended card leaves.
    package var leaves: String?
}
