package import DoorstepAPI

extension Principal {
    /// Who a verified token was issued to, and what it is scoped to.
    ///
    /// - Throws: ``Problem`` 401 where the subject or a scope is no identifier: such a token is good for nothing.
    package init(_ identity: Identity) throws {
        let scope = TokenScope(store: try Self.parse(identity.store), delivery: try Self.parse(identity.delivery))
        let subject: Subject =
            switch identity.role {
            case .customer: .customer(try Self.parse(identity.subject))
            case .courier: .courier(try Self.parse(identity.subject))
            case .store: .store(identity.subject)
            case .operator: .operator(identity.subject)
            }
        self.init(subject, scope: scope)
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
    /// - Throws: ``Problem``: 401 without a token or with one of nonsense, 404 with another role.
    package func principal(_ roles: Role...) throws -> Principal {
        guard let identity else { throw Problem.unauthenticated() }
        guard roles.isEmpty || roles.contains(identity.role) else { throw Problem.notFound() }
        return try Principal(identity)
    }
}
