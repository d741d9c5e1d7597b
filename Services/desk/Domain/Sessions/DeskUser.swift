import DoorstepAPI

/// A person who is signed in at the desk.
struct DeskUser: Hashable, Sendable {
    /// The subject for services: `ada` from a token, `oidc:login.example.com#u1` from an identity provider.
    let subject: String
    /// The display name; nil where the person has none, or one that could be mistaken for another's.
    let displayName: DisplayName?
    let role: OperatorScope

    init(subject: String, displayName: DisplayName? = nil, role: OperatorScope) {
        self.subject = subject
        self.displayName = displayName
        self.role = role
    }

    /// The name shown on pages.
    var name: String { displayName?.rawValue ?? subject }

    func may(_ needed: OperatorScope) -> Bool { role >= needed }
}
