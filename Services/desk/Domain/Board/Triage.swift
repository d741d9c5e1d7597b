import Foundation

/// Operators' records about a delivery: its owner, its snooze, and a note.
struct Triage: Hashable, Sendable {
    static let noteCharactersMax = 500

    /// The operator who handles the delivery.
    struct Owner: Hashable, Sendable {
        let subject: String
        /// The owner's display name at the assignment; the subject where they had none.
        let name: String

        /// The name with the subject, where there is a name.
        var text: String { name == subject ? subject : "\(name) (\(subject))" }
    }

    /// Nil for an unowned delivery.
    var owner: Owner?
    /// Domain time until which the delivery does not count as needing an operator; nil where it is not snoozed.
    var snoozedUntil: Date?
    /// Empty for none.
    var note: String
    /// An operator, as ``Owner/text`` writes it.
    var changedBy: String
    /// Domain time.
    var changedAt: Date
    /// Counted from 1; 0 for an unchanged delivery.
    var version: Int

    static let none = Triage(
        owner: nil, snoozedUntil: nil, note: "", changedBy: "", changedAt: .distantPast, version: 0)

    /// Whether an operator has replaced it by the other one; a row that retention has deleted counts from 1 again.
    func isOlder(than other: Triage) -> Bool { version < other.version && changedAt <= other.changedAt }

    func isSnoozed(at now: Date) -> Bool { snoozedUntil.map { $0 > now } ?? false }
}

extension Triage.Owner {
    init(_ user: DeskUser) { self.init(subject: user.subject, name: user.name) }

    /// A stored owner: the subject, and the text that ``text`` wrote.
    init(subject: String, text: String?) {
        let ending = " (\(subject))"
        let isOfSubject = text?.hasSuffix(ending) == true
        self.init(
            subject: subject, name: isOfSubject ? text.map { String($0.dropLast(ending.count)) } ?? "" : subject)
    }
}
