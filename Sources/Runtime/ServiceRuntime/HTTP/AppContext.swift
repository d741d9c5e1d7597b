package import Hummingbird
internal import Logging
internal import NIOCore

/// What is known about a request beside its content.
package struct AppContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Who sent it; nil without a token.
    ///
    /// A token that is not good never gets this far.
    package var identity: Identity?
    /// Whether the token was revoked since, for answers that go on.
    package var isTokenRevoked: @Sendable () -> Bool = { false }
    /// The address that the request is from; a proxy's where that is not trusted, nil in tests without one.
    package internal(set) var remoteAddress: String?
    /// The slots of the port; nil where requests are not limited.
    var slots: RequestSlots?
    /// What the request holds of the port's memory for bodies; nil where that is not limited.
    var heldBody: HeldBody?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress?.ipAddress
    }

    /// The caller, when it is one of these and its token is not restricted to a store or a delivery: for what belongs to
    /// none of those.
    ///
    /// - Throws: ``Problem``: 401 without a token, 404 with another role or a restricted token.
    @discardableResult
    package func requireUnrestricted(_ roles: Role...) throws -> Identity {
        guard let identity else { throw Problem.unauthenticated() }
        guard roles.contains(identity.role), identity.store == nil, identity.delivery == nil else {
            throw Problem.notFound()
        }
        return identity
    }

    /// The caller, when it is one of these; any role when none is named.
    ///
    /// - Throws: ``Problem``: 401 without a token, 404 with another role, since what is not yours does not exist.
    @discardableResult
    package func require(_ roles: Role...) throws -> Identity {
        guard let identity else { throw Problem.unauthenticated() }
        guard roles.isEmpty || roles.contains(identity.role) else { throw Problem.notFound() }
        return identity
    }
}
