import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import ServiceRuntime

/// The API behind `doorstep desk`: sign-in links, the list of sessions, and the end of a person's sessions.
extension DeskHTTP {
    func addSessionRoutes(to router: Router<AppContext>) {
        router.post("v1/sign-in-links", use: makeLink)
        router.get("v1/sessions", use: listSessions)
        router.delete("v1/sessions", use: endSessions)
    }

    /// A link that signs the caller in once.
    @Sendable private func makeLink(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.requireUnrestricted(.operator)
        // The desk signs one-minute tokens for signed-in people, which must not become sessions, by its former key just
        // before a rotation. Only the identity provider vouches for a subject of its kind.
        let isOwn = identity.keyID.map(TokenKeys.series(of:)) == TokenKeys.series(of: ownKeyID)
        // Reads of the board's own subject are in no access log.
        guard !isOwn, identity.subject != Identity.boardSubject, !ProviderSubject.isOne(identity.subject) else {
            throw Problem.notFound()
        }
        let role = identity.scope.flatMap(OperatorScope.init(claim:)) ?? .supervisor
        let secret = try await signIn.makeLink(for: identity.subject, role: role, token: SessionToken(identity))
        return try jsonResponse(
            SignInLinkBody(url: "\(origin)/open/\(secret.text)", lifetimeSeconds: Int(SignIn.linkLifetime)),
            status: .created)
    }

    @Sendable private func listSessions(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator, as: .supervisor)
        return try jsonResponse(SessionsBody(sessions: try await manageSessions.list().map(SessionBody.init)))
    }

    @Sendable private func endSessions(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.requireUnrestricted(.operator, as: .supervisor)
        guard let subject = request.query("subject") else {
            throw Problem.malformed("query subject", "is missing: say whose sessions are to end")
        }
        let ended = try await manageSessions.end(of: subject, by: identity.subject)
        guard ended > 0 else { throw Problem.notFound("nobody is signed in as \(subject)") }
        return try jsonResponse(EndedSessionsBody(ended: ended))
    }
}

extension SessionBody {
    fileprivate init(_ session: Session) {
        var issuer: String?
        var tokenID: String?
        switch session.proof {
        case .token(let token): tokenID = token.id
        case .provider(let provider): issuer = provider.issuer
        }
        self.init(
            subject: session.user.subject, name: session.user.name, role: session.user.role,
            startedAt: session.startedAt, seenAt: session.seenAt, expiresAt: session.expiresAt, tokenID: tokenID,
            issuer: issuer)
    }
}
