import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime

/// Issues a token of one of its customers to a shop backend, in exchange for the backend's own.
///
/// The customer's token has the scope of the backend's own. Its signing key is valid for customers' tokens only: a
/// thief of the key cannot become an operator.
struct IssueToken: Sendable {
    static let lifetimeSecondsDefault = 3600
    static let lifetimeSecondsMax = 86_400

    let signer: TokenSigner
    /// Wall time, by which tokens expire.
    let wallNow: @Sendable () -> Date
    /// Makes the ids by which tokens are revoked.
    let makeUUID: @Sendable () -> UUID

    /// Notes every rule that a body breaks.
    static func check(_ body: IssueTokenBody, _ check: inout BodyCheck) {
        check.require(
            (60...lifetimeSecondsMax).contains(body.lifetimeSeconds ?? lifetimeSecondsDefault), "lifetimeSeconds",
            "must be 60 to \(lifetimeSecondsMax)")
    }

    /// - Parameter body: one that ``check(_:_:)`` finds nothing wrong with.
    func callAsFunction(_ body: IssueTokenBody, for identity: Identity) async throws -> TokenBody {
        let seconds = body.lifetimeSeconds ?? Self.lifetimeSecondsDefault
        let now = wallNow()
        let expiresAt = now.addingTimeInterval(Double(seconds))
        let token = try await signer.sign(
            Identity(
                subject: body.customer.rawValue, role: .customer, store: identity.store, delivery: identity.delivery,
                tokenID: makeUUID().uuidString.lowercased(), expiresAt: expiresAt),
            at: now)
        return TokenBody(token: token, expiresAt: expiresAt)
    }
}
