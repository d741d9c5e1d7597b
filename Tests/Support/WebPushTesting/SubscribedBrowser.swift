package import Crypto
import Foundation
package import ScriptedPeers
import TextCoding

/// A browser's side of a subscription: it decrypts messages from the push service.
package struct SubscribedBrowser: Sendable {
    package struct Unreadable: Error {
        package let reason: String
    }

    package let key: P256.KeyAgreement.PrivateKey
    package let auth: [UInt8]

    package init(key: P256.KeyAgreement.PrivateKey, auth: [UInt8]) {
        self.key = key
        self.auth = auth
    }

    package init(random: inout some RandomNumberGenerator) {
        auth = random.bytes(16)
        key = P256.KeyAgreement.PrivateKey(random: &random)
    }

    package init() {
        var random = SystemRandomNumberGenerator()
        self.init(random: &random)
    }

    private var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }
    /// base64url, as in the browser's JSON.
    package var p256dhText: String { Base64URL.encode(publicKey) }
    /// base64url, as in the browser's JSON.
    package var authText: String { Base64URL.encode(auth) }

    /// Step by step as in RFC 8291, section 3.4, and RFC 8188, section 2.
    package func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        guard body.count > 86 else { throw Unreadable(reason: "there is no record") }
        let salt = Array(body[0..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        guard body[20] == 65 else { throw Unreadable(reason: "the key id is no public key") }
        let sender = Array(body[21..<86])
        let record = Array(body[86...])
        guard record.count < recordSize else { throw Unreadable(reason: "there is more than one record") }

        let shared = try key.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: sender))
        let keyInput = hmac(shared.withUnsafeBytes { Array($0) }, key: auth)
        let inputKey = hmac(Array("WebPush: info\0".utf8) + publicKey + sender + [1], key: keyInput)
        let pseudoRandomKey = hmac(inputKey, key: salt)
        let contentKey = hmac(Array("Content-Encoding: aes128gcm\0".utf8) + [1], key: pseudoRandomKey).prefix(16)
        let nonce = hmac(Array("Content-Encoding: nonce\0".utf8) + [1], key: pseudoRandomKey).prefix(12)

        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce), ciphertext: record.dropLast(16), tag: record.suffix(16))
        let padded = Array(try AES.GCM.open(box, using: SymmetricKey(data: contentKey)))
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2 else {
            throw Unreadable(reason: "the last record has no end")
        }
        return Array(padded[..<end])
    }

    private func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
    }
}

extension RandomNumberGenerator {
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

extension P256.KeyAgreement.PrivateKey {
    package init(random: inout some RandomNumberGenerator) {
        while true {
            // Nearly every number is one: those above the order of the curve are drawn again.
            if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: random.bytes(32)) {
                self = key
                return
            }
        }
    }
}

extension ScriptedHTTPServer {
    /// The push service's URL for the browser.
    package var endpoint: String { "\(origin)/push/v1?id=abc" }
}
