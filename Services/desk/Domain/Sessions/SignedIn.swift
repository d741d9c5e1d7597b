/// A signed-in person, and their session.
struct SignedIn: Hashable, Sendable {
    let user: DeskUser
    let secret: Secret
}
