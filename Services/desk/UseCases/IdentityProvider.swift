import DoorstepAPI
import Foundation
import OpenIDConnect
import PostgresClient

/// Signs people in at the grocer's own identity provider, with a role by their groups.
struct IdentityProvider: Sendable {
    /// Seconds for a sign-in, a second factor included.
    static let attemptLifetime: TimeInterval = 600

    /// The reason why a person known to the provider is refused, or all people are.
    enum Refusal: Error, Hashable, Sendable {
        /// The answer belongs to no sign-in of this browser: it was used, is too old, or is another's.
        case unknownAttempt
        /// None of their groups has a role.
        case noRole(name: String)
    }

    /// A person whose identity the provider has proven.
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

    /// The provider's host, for the button.
    let name: String
    var issuer: String { client.configuration.issuer }
    private let client: OpenIDClient
    private let groups: [(name: String, role: OperatorScope)]

    /// - Parameter groups: the group of each role, the widest first.
    init(_ client: OpenIDClient, name: String, groups: [(name: String, role: OperatorScope)]) {
        self.client = client
        self.name = name
        self.groups = groups
    }

    /// - Returns: the URL for the browser, and the browser's secret for the sign-in.
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

    /// - Returns: the person, and their requested page.
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

    /// A person's present identity, and the grant for the next confirmation.
    ///
    /// - Returns: no user where the provider returned no claims.
    /// - Throws: ``Refusal``, ``OpenIDError``.
    func confirm(
        _ grant: ProviderGrant, of subject: String
    ) async throws -> (user: DeskUser?, grant: ProviderGrant) {
        let answer = try await client.confirm(grant, of: subject)
        return (try answer.user.map(deskUser), answer.grant)
    }

    private func deskUser(_ user: SignedInUser) throws(Refusal) -> DeskUser {
        let subject = ProviderSubject(issuer: user.issuer, subject: user.subject).text
        // A person whose name could be mistaken for another's is signed in without a name.
        let name = user.name.flatMap(DisplayName.init)
        guard let role = groups.first(where: { user.groups.contains($0.name) })?.role else {
            throw .noRole(name: name?.rawValue ?? subject)
        }
        return DeskUser(subject: subject, displayName: name, role: role)
    }
}
