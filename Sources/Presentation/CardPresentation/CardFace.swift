package import LiveActivity

/// A card's content at one moment, as text, for terminals and pages.
///
/// ``init(_:words:now:isAlwaysOn:in:)`` makes one from a phone's card.
package struct CardFace: Hashable, Sendable {
    /// The positions of the stops on the line from the store to the door, from 0 to 1.
    package static let stops: [Double] = [0, 1.0 / 3, 2.0 / 3, 1]

    package enum Life: Hashable, Sendable {
        case live, stale, ended
    }

    /// The marker at the card's position on the line.
    package enum Marker: String, Hashable, Sendable {
        case moving = "▶"
        case lost = "?"
        case paused = "‖"
        case trouble = "!"
        case back = "◀"
    }

    package struct Button: Hashable, Sendable {
        package let title: String
        /// A shorter title, for a row without room for every whole title.
        package let shortTitle: String
        package let url: String
        /// An open code, as of ``LiveActivity/Verb``.
        package let verb: String
    }

    package var tint: Tint
    package var life: Life
    /// One character for the phase, legible without colour.
    package var glyph: String
    package var store: String
    /// The text after the store: order number and bag.
    package var reference: String
    /// The phase in at most eight columns.
    package var shortPhase: String
    /// Right of the store: how many items, or how it ended.
    package var summary: String
    /// The headline in one row, with its names shortened equally where necessary.
    package var headline: String
    /// A question that is longer than one row, in two; nil for any other headline.
    package var question: String?
    /// The minutes left on a running timer; nil without one.
    package var remaining: String?
    /// The same where there is room to name it as the latest: `within 14 min`.
    package var within: String?
    /// The remaining time, or a clock time, in at most eight columns.
    package var remainingShort: String?
    /// The remaining time, or a clock time, in at most six columns.
    package var remainingShortest: String?
    /// The customer's PIN with its name; nil unless the courier asks for it now.
    package var pin: String?
    package var arrival: String?
    /// The arrival's clock times alone.
    package var arrivalShort: String?
    package var promise: String?
    /// The courier's name, vehicle and stops; nil before one is assigned.
    package var courier: String?
    package var detail: String?
    /// The sentences that a screen reader reads out when they change: the headline, and a late or moved promise, without
    /// what counts on.
    package var announcement: String
    /// 0 to 1; nil where there is no line.
    package var progress: Double?
    /// Whether the first stop of the line is reached.
    package var hasBegun: Bool
    package var marker: Marker
    /// The labels of the four stops on the line.
    package var steps: [String]
    package var buttons: [Button]
    /// When an ended card leaves.
    package var leaves: String?
}
