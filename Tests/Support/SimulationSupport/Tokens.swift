import Foundation
package import ServiceRuntime

/// Signs a token for any role, with the admin key of the stack.
package struct Tokens: Sendable {
    package let signer: TokenSigner
    package let `operator`: String
    package let store: String

    /// - Parameter secrets: the folder that `doorstep admin keys` wrote.
    package init(secrets: String) async throws {
        signer = try await TokenSigner(kid: "doorstep-admin", file: "\(secrets)/admin.pem")
        self.operator = try await Self.sign(.operator, "ada", with: signer)
        store = try await Self.sign(.store, "nordhavn", with: signer)
    }

    package func courier(_ id: String) async throws -> String { try await Self.sign(.courier, id, with: signer) }

    package func customer(_ id: String) async throws -> String { try await Self.sign(.customer, id, with: signer) }

    /// - Parameter scope: the operator scope; nil for no restriction.
    package func `operator`(_ id: String, scope: String?) async throws -> String {
        try await Self.sign(.operator, id, scope: scope, with: signer)
    }

    private static func sign(
        _ role: Role, _ subject: String, scope: String? = nil, with signer: TokenSigner
    ) async throws -> String {
        let now = Date()
        return try await signer.sign(
            Identity(subject: subject, role: role, scope: scope, expiresAt: now.addingTimeInterval(3_600)), at: now)
    }
}
