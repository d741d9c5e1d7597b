/// The subjects of answers between services: below `answers` and the requester's user, where every service may publish
/// and only the requester subscribes.
///
/// With `allow_responses`, the broker would record a permission for every message, and forget it when the connection
/// ends.
package enum AnswerSubject {
    /// The prefix of every such subject.
    package static let prefix = "answers"

    /// Whether a request may be answered there: an asker must not choose a subject that is another's.
    static func mayAnswer(at reply: String) -> Bool {
        // Without users in the broker's configuration answers arrive in the inbox.
        reply.hasPrefix("\(prefix).") || reply.hasPrefix("_INBOX")
    }
}
