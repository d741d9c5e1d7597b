import DoorstepAPI
import Foundation
import ServiceRuntime
import Synchronization

/// The tokens for the desk's requests on behalf of a person: each names the person, and is valid for a minute.
final class OperatorTokens: Sendable {
    /// Seconds for which a token is valid.
    static let lifetime: TimeInterval = 60
    /// Seconds before its end at which a token is replaced, so that a request finishes with it.
    private static let margin: TimeInterval = 30

    private struct Signed {
        let token: String
        let expiresAt: Date
    }

    private let signer: TokenSigner
    private let wallNow: @Sendable () -> Date
    private let signed = Mutex<[DeskUser: Signed]>([:])

    init(signer: TokenSigner, wallNow: @escaping @Sendable () -> Date = { Date() }) {
        self.signer = signer
        self.wallNow = wallNow
    }

    func token(of user: DeskUser) async throws -> String {
        let now = wallNow()
        let kept = signed.withLock { signed in
            signed = signed.filter { $0.value.expiresAt > now }
            return signed[user]
        }
        if let kept, kept.expiresAt.timeIntervalSince(now) > Self.margin { return kept.token }
        let expiresAt = now.addingTimeInterval(Self.lifetime)
        let token = try await signer.sign(
            Identity(
                subject: user.subject, role: .operator, scope: user.role.rawValue, displayName: user.displayName,
                expiresAt: expiresAt), at: now)
        signed.withLock { $0[user] = Signed(token: token, expiresAt: expiresAt) }
        return token
    }
}
