import Crypto
import DoorstepAPI
import Foundation

/// One attempt of one principal at one route, identified by the idempotency key of its repeats.
struct IdempotentRequest: Sendable {
    let principal: String
    /// The principal without the token's store, of whom a key with the same body counts too: until 0.27.1 no key had a
    /// store; nil where it is the principal.
    let withoutStore: String?
    let route: String
    let key: String
    /// SHA-256 of the body's bytes.
    let fingerprint: [UInt8]

    /// - Parameter principal: the caller. Tokens of one subject share keys where they are for the same store, or each for
    ///   none: stores number their orders alike.
    init(principal: Principal, route: String, key: String, body: Data) {
        self.principal = principal.nameInStore
        withoutStore = principal.scope.store.map { _ in principal.name }
        self.route = route
        self.key = key
        fingerprint = Array(SHA256.hash(data: body))
    }

    /// Why an attempt with a known key is not answered.
    enum Conflict: Error, Hashable, Sendable {
        /// The key was used before with another body.
        case keyReused
        /// The first attempt with this key is still running.
        case inFlight
    }
}
