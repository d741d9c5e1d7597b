internal import Crypto
internal import Foundation
internal import TextCoding

/// A sign-in in progress: the browser's parameters, and the secrets that tie the answer to it.
package struct SignInRequest: Hashable, Sendable {
    /// Comes back with the browser.
    package let state: String
    /// Comes back inside of the token.
    package let nonce: String
    /// The secret sent to the provider with the code (RFC 7636).
    package let verifier: String

    package init(state: String, nonce: String, verifier: String) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
    }

    /// - Parameter random: returns the next random byte; 32 make each part.
    package init(random: () -> UInt8 = { UInt8.random(in: 0...255) }) {
        func part() -> String { Base64URL.encode((0..<32).map { _ in random() }) }
        self.init(state: part(), nonce: part(), verifier: part())
    }

    /// The code challenge sent to the provider first: SHA-256 of the verifier (RFC 7636, section 4.2).
    package var challenge: String { Base64URL.encode(SHA256.hash(data: Data(verifier.utf8))) }
}
