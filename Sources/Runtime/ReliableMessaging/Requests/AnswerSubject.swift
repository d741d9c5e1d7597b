/// Where services answer one another: below `answers` and the asker's user, where every service may publish and only the
/// asker subscribes.
///
/// A broker that let a service publish wherever it is asked to (`allow_responses`) would note a permission with every
/// message, and forget it when the connection ends.
package enum AnswerSubject {
    /// What every such subject begins with.
    package static let prefix = "answers"

    /// Whether a request may be answered there: an asker must not choose a subject that is another's.
    static func mayAnswer(at reply: String) -> Bool {
        // Without users in the broker's configuration answers arrive in the inbox.
        reply.hasPrefix("\(prefix).") || reply.hasPrefix("_INBOX")
    }
}
