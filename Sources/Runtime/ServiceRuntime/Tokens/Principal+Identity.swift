package import DoorstepAPI
internal import HTTPTypes

extension Principal {
    /// The principal of a verified token, with its scope.
    ///
    /// - Throws: ``Problem`` 401 where the subject or a scope is not an identifier.
    package init(_ identity: Identity) throws {
        let scope = TokenScope(
            store: try Self.parse(identity.store), delivery: try Self.parse(identity.delivery),
            operator: try Self.operatorScope(of: identity))
        let subject: Subject =
            switch identity.role {
            case .customer: .customer(try Self.parse(identity.subject))
            case .courier: .courier(try Self.parse(identity.subject))
            case .store: .store(identity.subject)
            case .operator: .operator(identity.subject)
            }
        self.init(subject, scope: scope, displayName: identity.displayName)
    }

    private static func operatorScope(of identity: Identity) throws -> OperatorScope? {
        guard identity.role == .operator, let claim = identity.scope else { return nil }
        guard let scope = OperatorScope(claim: claim) else { throw Problem.unauthenticated() }
        return scope
    }

    private static func parse<ID: RawRepresentable<String>>(_ text: String) throws -> ID {
        guard let id = ID(rawValue: text) else { throw Problem.unauthenticated() }
        return id
    }

    private static func parse<ID: RawRepresentable<String>>(_ text: String?) throws -> ID? {
        try text.map { try parse($0) }
    }
}

extension AppContext {
    /// The caller, when its role is one of these; any role when none is named.
    ///
    /// - Parameter needed: the operator scope that the route requires.
    /// - Throws: ``Problem``: 401 without a token or with invalid claims, 403 for an operator's narrower scope and for
    ///   a store where operators alone are answered, 404 for every other role.
    package func principal(_ roles: Role..., as needed: OperatorScope = .viewer) throws -> Principal {
        let principal = try Principal(try bearer(in: roles))
        guard principal.may(needed) else { throw Problem.scopeTooNarrow(needed) }
        return principal
    }

    /// The caller, when it has one of these roles and its token is not restricted to a store or a delivery: for objects
    /// without either.
    ///
    /// - Throws: as ``principal(_:as:)``; 404 with a restricted token too.
    @discardableResult
    package func requireUnrestricted(_ roles: Role..., as needed: OperatorScope = .viewer) throws -> Identity {
        let identity = try bearer(in: roles)
        guard identity.store == nil, identity.delivery == nil else { throw Problem.notFound() }
        guard try Principal(identity).may(needed) else { throw Problem.scopeTooNarrow(needed) }
        return identity
    }

    /// The caller, when it is one of these; any role when none is named.
    ///
    /// - Throws: as ``principal(_:as:)``.
    @discardableResult
    package func require(_ roles: Role..., as needed: OperatorScope = .viewer) throws -> Identity {
        let identity = try bearer(in: roles)
        guard try Principal(identity).may(needed) else { throw Problem.scopeTooNarrow(needed) }
        return identity
    }

    /// The token's bearer, when its role is one of these; any role when none is named.
    ///
    /// A shop's developer reads at once that a route is for operators alone. The refusal reveals no object: it is the
    /// same for every request.
    private func bearer(in roles: [Role]) throws -> Identity {
        guard let identity else { throw Problem.unauthenticated() }
        if identity.role == .store, roles == [.operator] { throw Problem.operatorsOnly() }
        guard roles.isEmpty || roles.contains(identity.role) else { throw Problem.notFound() }
        return identity
    }
}

extension Problem {
    /// 403: a store's token on a route for operators.
    fileprivate static func operatorsOnly() -> Problem {
        Problem(
            .forbidden, "operators-only", title: "Only operators may do that",
            detail: "it needs a token with the role operator, and this one has the role store")
    }

    /// 403: the caller may see the object, but its scope does not allow the operation.
    package static func scopeTooNarrow(_ needed: OperatorScope) -> Problem {
        Problem(
            .forbidden, "scope-too-narrow", title: "This operator's token is not good for that",
            detail: "it needs the scope \(needed.rawValue)")
    }
}
