import AsyncHTTPClient
import Configuration
import DoorstepAPI
import Foundation
import OpenIDConnect
import PostgresClient
import ProcessSettings

/// Signs people in at the grocer's own identity provider, with a role by their groups.
struct IdentityProvider: Sendable {
    /// How long a sign-in may take, a second factor included.
    static let attemptLifetime: TimeInterval = 600

    /// Why somebody who is known to the provider is not let in, or nobody is.
    enum Refusal: Error, Hashable, Sendable {
        /// The answer belongs to no sign-in of this browser: it was used, is too old, or is another's.
        case unknownAttempt
        /// None of their groups has a role.
        case noRole(name: String)
        /// Their name cannot be one of our operators'.
        case badName
    }

    /// Its host, as the button has it.
    let name: String
    private let client: OpenIDClient
    private let groups: [(name: String, role: OperatorScope)]

    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `oidc.issuer` | the provider's issuer; without it nobody signs in by one | – | no |
    /// | `oidc.client.id` | as which the desk is registered there | required with it | no |
    /// | `oidc.client.secret.file` | path of its secret | required with it | its content |
    /// | `oidc.groups.claim` | the claim that has a person's groups | `groups` | no |
    /// | `oidc.groups.viewer` | the group whose people may read | – | no |
    /// | `oidc.groups.dispatcher` | … and change deliveries | – | no |
    /// | `oidc.groups.supervisor` | … and do what nothing takes back | – | no |
    init?(reading settings: ConfigReader, origin: String, client: HTTPClient) throws {
        guard let issuer = try settings.text("oidc.issuer") else { return nil }
        guard OpenIDClient.isProtected(issuer), let host = URLComponents(string: issuer)?.host else {
            throw ConfigurationError(
                key: "oidc.issuer", problem: "is \"\(issuer)\", which is no address with TLS",
                fix: "write it as the provider does, such as https://login.example.com")
        }
        let roles = try [
            ("oidc.groups.supervisor", OperatorScope.supervisor), ("oidc.groups.dispatcher", .dispatcher),
            ("oidc.groups.viewer", .viewer),
        ].compactMap { key, role in try settings.text(key).map { (name: $0, role: role) } }
        guard !roles.isEmpty else {
            throw ConfigurationError(
                key: "oidc.groups.viewer", problem: "is not set, nor is another role's group",
                fix: "name the group of one role at least: without it nobody is let in")
        }
        name = host
        groups = roles
        self.client = OpenIDClient(
            OpenIDConfiguration(
                issuer: issuer, clientID: try settings.requiredText("oidc.client.id", example: "desk"),
                clientSecret: try settings.requiredSecret("oidc.client.secret.file"),
                redirectURI: origin + "/sign-in/callback",
                groupsClaim: try settings.text("oidc.groups.claim") ?? "groups"), client: client)
    }

    /// - Returns: where the browser is sent, and what it keeps meanwhile.
    /// - Throws: ``OpenIDError``.
    func begin(
        returningTo path: String, at now: Date, on database: some PostgresExecutor
    ) async throws -> (url: String, browser: Secret) {
        let request = SignInRequest()
        let browser = Secret()
        let url = try await client.authorizationURL(request)
        guard let state = Secret(request.state) else { preconditionFailure("a state has the form of our secrets") }
        try await SessionRepository.insert(
            .init(nonce: request.nonce, verifier: request.verifier, returnPath: path), stateHash: state.hash,
            browserHash: browser.hash, expiresAt: now.addingTimeInterval(Self.attemptLifetime), on: database)
        return (url, browser)
    }

    /// - Returns: who came back, and where they wanted to be.
    /// - Throws: ``Refusal``, ``OpenIDError``.
    func finish(
        state: String, code: String, issuer: String?, browser: Secret, at now: Date,
        on database: some PostgresExecutor
    ) async throws -> (user: DeskUser, returnPath: String) {
        guard let key = Secret(state),
            let attempt = try await SessionRepository.takeAttempt(
                stateHash: key.hash, browserHash: browser.hash, at: now, on: database)
        else { throw Refusal.unknownAttempt }
        let user = try await client.user(
            code: code, issuer: issuer,
            of: SignInRequest(state: state, nonce: attempt.nonce, verifier: attempt.verifier))
        guard let role = groups.first(where: { user.groups.contains($0.name) })?.role else {
            throw Refusal.noRole(name: user.name)
        }
        // As services take it for a token's subject, and timelines name it.
        let subject = user.name
        guard (1...64).contains(subject.count),
            subject.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw Refusal.badName }
        return (DeskUser(subject: subject, name: user.name, role: role), attempt.returnPath)
    }
}
