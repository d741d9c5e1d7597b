/// What `POST /v1/sign-in-links` of the desk answers: an address that signs in once.
public struct SignInLinkBody: Codable, Sendable {
    /// A secret: whoever opens it first is signed in.
    public let url: String
    public let lifetimeSeconds: Int

    public init(url: String, lifetimeSeconds: Int) {
        self.url = url
        self.lifetimeSeconds = lifetimeSeconds
    }
}
