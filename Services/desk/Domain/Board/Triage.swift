import Foundation

/// What operators keep of a delivery beside the delivery itself: who sees to it, until when nobody need, and a note.
struct Triage: Hashable, Sendable {
    static let noteCharactersMax = 500

    /// An operator who sees to it.
    struct Owner: Hashable, Sendable {
        let subject: String
        /// What they were called when they took it; the subject where they had no name.
        let name: String

        init(subject: String, name: String) {
            self.subject = subject
            self.name = name
        }

        init(_ user: DeskUser) { self.init(subject: user.subject, name: user.name) }

        /// One that is kept as its subject, with a text beside it that ``text`` wrote.
        init(subject: String, text: String?) {
            let ending = " (\(subject))"
            let isOfSubject = text?.hasSuffix(ending) == true
            self.init(
                subject: subject, name: isOfSubject ? text.map { String($0.dropLast(ending.count)) } ?? "" : subject)
        }

        /// The name with the subject, where there is a name.
        var text: String { name == subject ? subject : "\(name) (\(subject))" }
    }

    /// Nil for nobody.
    var owner: Owner?
    /// Domain time until which it is not counted as needing anybody; nil where it is not put off.
    var snoozedUntil: Date?
    /// Empty for none.
    var note: String
    /// An operator, as ``Owner/text`` writes it.
    var changedBy: String
    /// Domain time.
    var changedAt: Date
    /// Counted from 1; 0 for what was never changed.
    var version: Int

    static let none = Triage(
        owner: nil, snoozedUntil: nil, note: "", changedBy: "", changedAt: .distantPast, version: 0)

    func isSnoozed(at now: Date) -> Bool { snoozedUntil.map { $0 > now } ?? false }
}
