import DoorstepAPI

/// A person who is signed in at the desk.
struct DeskUser: Hashable, Sendable {
    /// The subject for services: `ada` from a token, `oidc:login.example.com#u1` from an identity provider.
    let subject: String
    /// The display name; nil where the person has none, or one that could be mistaken for another's.
    var displayName: DisplayName?
    let role: OperatorScope

    /// The name shown on pages.
    var name: String { displayName?.rawValue ?? subject }

    /// Whether a record's actor is this person, under the present name or a former one: `Ada Lovelace (oidc:…#u1)`, or
    /// the subject alone.
    func isActor(_ text: String) -> Bool { text == subject || text.hasSuffix(" (\(subject))") }

    func may(_ needed: OperatorScope) -> Bool { role >= needed }
}
