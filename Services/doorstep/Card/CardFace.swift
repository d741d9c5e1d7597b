import LiveActivity

/// Everything that a card shows at one moment, as text: the input of the drawings.
///
/// `CardFace(_:words:now:appearance:)` makes one from what the phone knows. All text is safe for a terminal.
struct CardFace: Hashable, Sendable {
    enum Life: Hashable, Sendable {
        case live, stale, ended
    }

    /// What stands where the card is on its line.
    enum Marker: String, Hashable, Sendable {
        case moving = "▶"
        case lost = "?"
        case paused = "‖"
        case trouble = "!"
        case back = "◀"
    }

    struct Button: Hashable, Sendable {
        let title: String
        /// For a row without room for every whole title.
        let shortTitle: String
        let url: String
        /// The digit that presses it; nil where it has none.
        let digit: Int?
    }

    var tint: Tint
    var life: Life
    /// One character that says the phase without colour.
    var glyph: String
    var store: String
    /// What follows the store: order number and bag.
    var reference: String
    /// At most eight columns.
    var shortPhase: String
    /// Right of the store: how many items, or how it ended.
    var summary: String
    /// In one row, its names shortened alike where they must be.
    var headline: String
    /// A question that is longer than one row, in two; nil for any other headline.
    var question: String?
    /// What is left of a running timer, in minutes; nil without one.
    var remaining: String?
    /// The same, or a clock time, in at most eight columns.
    var remainingShort: String?
    /// The same in at most six columns.
    var remainingShortest: String?
    var arrival: String?
    /// The arrival's clock times alone.
    var arrivalShort: String?
    var promise: String?
    /// Name, vehicle, stops; nil where nobody brings it yet.
    var courier: String?
    var detail: String?
    /// 0 to 1; nil where there is no line.
    var progress: Double?
    /// Whether the first stop of the line is reached.
    var hasBegun: Bool
    var marker: Marker
    /// What the four stops of the line are called.
    var steps: [String]
    var buttons: [Button]
    /// When an ended card leaves.
    var leaves: String?
}
