import DeclaredMetrics
import Foundation
import Metrics
import OrderDomain
import ServiceRuntime

/// Authenticates senders of fixes: an enrolled phone, or a courier's own app with the courier's token.
struct IngestAuthenticator: Sendable {
    struct Caller: Hashable, Sendable {
        let courier: CourierID
        let phone: PhoneID

        /// The key of limits.
        var name: String { "\(courier) \(phone.rawValue)" }
    }

    /// Why a caller is refused; the raw value is the metric's label.
    private enum Refusal: String {
        case missing, unknown, revoked, role
    }

    let phones: PhoneCache
    let tokens: TokenVerifier
    let metrics: MetricsRegistry
    /// The wall clock that couriers' own tokens expire by.
    var wall: @Sendable () -> Date = { Date() }

    /// The caller, by the first valid credential.
    ///
    /// - Parameter credentials: as the request carries them: a path's, a header's, an app's id.
    /// - Throws: ``Problem``: 401 without a valid one, 404 for a token that is no courier's.
    func caller(_ credentials: [String]) async throws -> Caller {
        guard !credentials.isEmpty else { throw refuse(.missing) }
        var refusal = Refusal.unknown
        for credential in credentials {
            if let token = PhoneToken(credential) {
                guard let phone = try await phones.phone(token) else { continue }
                guard phone.revokedAt == nil else {
                    refusal = .revoked
                    continue
                }
                return Caller(courier: phone.courier, phone: phone.id)
            }
            if credential.contains(".") { return try await own(credential) }
        }
        throw refuse(refusal)
    }

    private func refuse(_ refusal: Refusal) -> Problem {
        CourierETAMetrics.phonesRefused.counter([("reason", refusal.rawValue)], in: metrics).increment()
        switch refusal {
        case .missing: return .unauthenticated()
        case .unknown, .revoked, .role: return .unauthenticated(.unknownToken)
        }
    }

    private func own(_ token: String) async throws -> Caller {
        let identity: Identity
        do {
            identity = try await tokens.identity(of: token, at: wall())
        } catch let error as TokenError {
            _ = refuse(.unknown)
            throw Problem.unauthenticated(error)
        }
        guard identity.role == .courier, let courier = CourierID(rawValue: identity.subject) else {
            _ = refuse(.role)
            throw Problem.notFound()
        }
        return Caller(courier: courier, phone: .own)
    }
}
