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

    /// Why a caller is refused.
    private enum Refusal: Error {
        case missing, unknown, revoked, role
        case invalid(TokenError)

        /// The metric's label.
        var label: String {
            switch self {
            case .missing: "missing"
            case .unknown, .invalid: "unknown"
            case .revoked: "revoked"
            case .role: "role"
            }
        }
    }

    let phones: PhoneCache
    let tokens: TokenVerifier
    let metrics: MetricsRegistry
    /// The wall clock that couriers' own tokens expire by.
    var wall: @Sendable () -> Date = { Date() }

    /// The caller, by the first valid credential.
    ///
    /// - Parameter credentials: as the request carries them: a path's, a header's, an app's id.
    /// - Throws: ``Problem``: 401 without a valid one, 404 for a token that is no courier's, or is restricted to a
    ///   store or a delivery.
    func caller(_ credentials: [String]) async throws -> Caller {
        guard !credentials.isEmpty else { throw refuse(.missing) }
        switch try await result(of: credentials) {
        case .success(let caller): return caller
        case .failure(let refusal): throw refuse(refusal)
        }
    }

    /// The caller, by the first valid credential; nil without one, which is counted nowhere.
    func validCaller(_ credentials: [String]) async throws -> Caller? {
        guard case .success(let caller) = try await result(of: credentials) else { return nil }
        return caller
    }

    private func result(of credentials: [String]) async throws -> Result<Caller, Refusal> {
        var refusal = Refusal.unknown
        for credential in credentials {
            if let token = PhoneToken(credential) {
                guard let phone = try await phones.phone(token) else { continue }
                guard phone.revokedAt == nil else {
                    refusal = .revoked
                    continue
                }
                return .success(Caller(courier: phone.courier, phone: phone.id))
            }
            guard credential.contains(".") else { continue }
            switch try await own(credential) {
            case .success(let caller): return .success(caller)
            case .failure(let reason): refusal = reason
            }
        }
        return .failure(refusal)
    }

    private func refuse(_ refusal: Refusal) -> Problem {
        CourierETAMetrics.phonesRefused.counter([("reason", refusal.label)], in: metrics).increment()
        switch refusal {
        case .missing: return .unauthenticated()
        case .unknown, .revoked: return .unauthenticated(.unknownToken)
        case .invalid(let error): return .unauthenticated(error)
        case .role: return .notFound()
        }
    }

    /// The courier of an app's own token; a courier's positions belong to no store and no delivery.
    private func own(_ token: String) async throws -> Result<Caller, Refusal> {
        let identity: Identity
        do {
            identity = try await tokens.identity(of: token, at: wall())
        } catch let error as TokenError {
            return .failure(.invalid(error))
        }
        guard identity.role == .courier, identity.store == nil, identity.delivery == nil,
            let courier = CourierID(rawValue: identity.subject)
        else { return .failure(.role) }
        return .success(Caller(courier: courier, phone: .own))
    }
}
