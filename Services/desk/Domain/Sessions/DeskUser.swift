import DoorstepAPI

/// A person who is signed in at the desk.
struct DeskUser: Hashable, Sendable {
    /// As the services name them in timelines: `operator ada`.
    let subject: String
    /// What pages call them.
    let name: String
    let role: OperatorScope

    func may(_ needed: OperatorScope) -> Bool { role >= needed }
}
