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
    }

    /// Somebody whom the provider has proven to be that.
    struct Person: Sendable {
        let user: DeskUser
        let issuer: String
        /// The provider's own id of them.
        let subject: String
        /// Nil where the provider cannot be asked again.
        let grant: ProviderGrant?
        /// When the provider's ID token expires; wall time.
        let expiresAt: Date
    }

    /// Its host, as the button has it.
    let name: String
    var issuer: String { client.configuration.issuer }
    private let client: OpenIDClient
    private let groups: [(name: String, role: OperatorScope)]

    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `oidc.issuer` | the provider's issuer; without it nobody signs in by one | – | no |
    /// | `oidc.client.id` | as which the desk is registered there | required with it | no |
    /// | `oidc.client.secret.file` | path of its secret | required with it | its content |
    /// | `oidc.scopes` | what a sign-in asks for, separated by spaces | `openid profile email groups` | no |
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
        let scopes = (try settings.text("oidc.scopes") ?? "openid profile email groups").split(separator: " ")
        guard scopes.contains("openid") else {
            throw ConfigurationError(
                key: "oidc.scopes", problem: "is without openid", fix: "begin it with openid, such as openid profile")
        }
        self.init(
            OpenIDClient(
                OpenIDConfiguration(
                    issuer: issuer, clientID: try settings.requiredText("oidc.client.id", example: "desk"),
                    clientSecret: try settings.requiredSecret("oidc.client.secret.file"),
                    redirectURI: origin + "/sign-in/callback",
                    groupsClaim: try settings.text("oidc.groups.claim") ?? "groups", scopes: scopes.map(String.init)),
                client: client), name: host, groups: roles)
    }

    /// - Parameter groups: the group of each role, the widest first.
    init(_ client: OpenIDClient, name: String, groups: [(name: String, role: OperatorScope)]) {
        self.client = client
        self.name = name
        self.groups = groups
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
    ) async throws -> (person: Person, returnPath: String) {
        guard let key = Secret(state),
            let attempt = try await SessionRepository.redeemAttempt(
                stateHash: key.hash, browserHash: browser.hash, at: now, on: database)
        else { throw Refusal.unknownAttempt }
        let proven = try await client.signIn(
            code: code, issuer: issuer,
            of: SignInRequest(state: state, nonce: attempt.nonce, verifier: attempt.verifier))
        let person = Person(
            user: try deskUser(proven.user), issuer: proven.user.issuer, subject: proven.user.subject,
            grant: proven.grant, expiresAt: proven.expiresAt)
        return (person, attempt.returnPath)
    }

    /// Who somebody is now, and by what the provider is asked next.
    ///
    /// - Returns: no user where the provider did not say.
    /// - Throws: ``Refusal``, ``OpenIDError``.
    func confirm(
        _ grant: ProviderGrant, of subject: String
    ) async throws -> (user: DeskUser?, grant: ProviderGrant) {
        let answer = try await client.confirm(grant, of: subject)
        return (try answer.user.map(deskUser), answer.grant)
    }

    private func deskUser(_ user: SignedInUser) throws(Refusal) -> DeskUser {
        let subject = ProviderSubject(issuer: user.issuer, subject: user.subject).text
        // Whoever calls themselves what could pass for another is signed in without a name.
        let name = user.name.flatMap(DisplayName.init)
        guard let role = groups.first(where: { user.groups.contains($0.name) })?.role else {
            throw .noRole(name: name?.rawValue ?? subject)
        }
        return DeskUser(subject: subject, displayName: name, role: role)
    }
}
