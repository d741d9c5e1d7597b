import Foundation
import ServiceRuntime

/// Signs tokens that a stack's services accept for six hours.
struct Tokens {
    private let signer: TokenSigner

    init(of stack: Stack) async throws {
        signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
    }

    /// - Parameter store: the only store of the token's scope; nil for every store.
    func token(_ role: Role, _ subject: String, store: String? = nil) async throws -> String {
        let now = Date()
        let identity = Identity(
            subject: subject, role: role, store: store, tokenID: UUID().uuidString.lowercased(),
            expiresAt: now.addingTimeInterval(6 * 3600))
        return try await signer.sign(identity, at: now)
    }

    /// A token for each of `count` callers, whose subjects are `bench-0` and so on.
    func tokens(_ role: Role, count: Int) async throws -> [String] {
        var tokens: [String] = []
        for index in 0..<count { tokens.append(try await token(role, "bench-\(index)")) }
        return tokens
    }
}
