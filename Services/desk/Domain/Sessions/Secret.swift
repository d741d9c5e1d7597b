import Crypto
import Foundation
import TextCoding

/// 32 random bytes that a browser stores or a link carries; the desk stores their hash alone.
///
/// The desk encrypts a session's data with a key derived from the secret: the database alone does not reveal the data,
/// which is usable during a browser's request.
struct Secret: Hashable, Sendable {
    /// The text in a cookie or a link: base64url, 43 characters.
    let text: String

    init(random: () -> UInt8 = { UInt8.random(in: 0...255) }) {
        text = Base64URL.encode((0..<32).map { _ in random() })
    }

    /// Parses a browser's secret.
    ///
    /// - Returns: nil for text without a secret's form.
    init?(_ text: String) {
        guard text.utf8.count == 43, text.utf8.allSatisfy(\.isURLSafe) else { return nil }
        self.text = text
    }

    /// SHA-256 of its text.
    var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// The CSRF token of a session's forms, derived from the secret, so that it needs no storage.
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

    /// Decrypts the result of ``seal(_:)``.
    ///
    /// - Throws: for data that another secret sealed, or that is not sealed.
    func open(_ sealed: [UInt8]) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: SymmetricKey(data: code(of: "desk seal")))
    }

    private func code(of purpose: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8), using: SymmetricKey(data: Data(text.utf8)))
    }
}
