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

    func may(_ needed: OperatorScope) -> Bool { role >= needed }
}
