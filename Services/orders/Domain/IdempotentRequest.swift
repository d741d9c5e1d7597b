import Crypto
import Foundation

/// One attempt of one principal at one route, identified by the idempotency key of its repeats.
struct IdempotentRequest: Sendable {
    let principal: String
    let route: String
    let key: String
    /// SHA-256 of the body's bytes.
    let fingerprint: [UInt8]

    init(principal: String, route: String, key: String, body: Data) {
        self.principal = principal
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
