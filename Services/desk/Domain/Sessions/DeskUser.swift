import DoorstepAPI

/// A person who is signed in at the desk.
struct DeskUser: Hashable, Sendable {
    /// What identifies them to services: `ada` by a token, `oidc:login.example.com#u1` by an identity provider.
    let subject: String
    /// What they are called; nil where they have no name, or one that could pass for another's.
    let displayName: DisplayName?
    let role: OperatorScope

    init(subject: String, displayName: DisplayName? = nil, role: OperatorScope) {
        self.subject = subject
        self.displayName = displayName
        self.role = role
    }

    /// What pages call them.
    var name: String { displayName?.rawValue ?? subject }

    func may(_ needed: OperatorScope) -> Bool { role >= needed }
}
