/// Somebody who is signed in, and their session.
struct SignedIn: Hashable, Sendable {
    let user: DeskUser
    let secret: Secret
}
