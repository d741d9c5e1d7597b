import Crypto
import Foundation
import TextCoding

/// 32 random bytes that a browser keeps or a link carries; the desk itself keeps their hash alone.
///
/// What the desk keeps for a session is encrypted with a key that is derived from the secret: nobody reads it out of the
/// database, and it can be used while the browser asks.
struct Secret: Hashable, Sendable {
    /// As it is written in a cookie or a link: base64url, 43 characters.
    let text: String

    init(random: () -> UInt8 = { UInt8.random(in: 0...255) }) {
        text = Base64URL.encode((0..<32).map { _ in random() })
    }

    /// What a browser sent.
    ///
    /// - Returns: nil for what none of ours is like.
    init?(_ text: String) {
        guard text.utf8.count == 43, text.utf8.allSatisfy(Self.isLetter) else { return nil }
        self.text = text
    }

    /// SHA-256 of its text.
    var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// What a form of a session has in it, so that no other site can send one: derived, so that nothing is stored for it.
    var formToken: String { Base64URL.encode(code(of: "desk form")) }

    /// Whether a form's token is this session's, in a time that does not depend on where they differ.
    func isFormToken(_ sent: String) -> Bool {
        let key = SymmetricKey(data: Data(text.utf8))
        guard let code = Base64URL.decode(sent) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data("desk form".utf8), using: key)
    }

    /// Encrypts something with AES-256-GCM.
    func seal(_ content: Data) throws -> [UInt8] {
        let box = try AES.GCM.seal(content, using: SymmetricKey(data: code(of: "desk seal")))
        guard let combined = box.combined else { preconditionFailure("a nonce of 12 bytes has a combined form") }
        return Array(combined)
    }

    /// What ``seal(_:)`` has encrypted.
    ///
    /// - Throws: where another secret has, or nobody.
    func open(_ sealed: [UInt8]) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: SymmetricKey(data: code(of: "desk seal")))
    }

    private func code(of purpose: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8), using: SymmetricKey(data: Data(text.utf8)))
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
