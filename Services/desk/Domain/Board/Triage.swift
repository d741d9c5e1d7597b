import Foundation

/// What operators keep of a delivery beside the delivery itself: who sees to it, until when nobody need, and a note.
struct Triage: Hashable, Sendable {
    static let noteCharactersMax = 500

    /// An operator's subject; nil for nobody.
    var owner: String?
    /// Domain time until which it is not counted as needing anybody; nil where it is not put off.
    var snoozedUntil: Date?
    /// Empty for none.
    var note: String
    var changedBy: String
    /// Domain time.
    var changedAt: Date
    /// Counted from 1; 0 for what was never changed.
    var version: Int

    static let none = Triage(
        owner: nil, snoozedUntil: nil, note: "", changedBy: "", changedAt: .distantPast, version: 0)

    func isSnoozed(at now: Date) -> Bool { snoozedUntil.map { $0 > now } ?? false }
}
