import Crypto
import Foundation
import OrderDomain
import TextCoding

/// Proofs that the holder of a link also knew its order's number: a browser keeps a proof in place of a token.
///
/// A proof is base64url of: key id (1 byte), order (16), expiry (4, big-endian), HMAC-SHA256 (32) of a context of its
/// own and the former fields, so that no link is a proof and no proof a link.
extension LinkSigner {
    /// Seconds for which a browser's proof is valid.
    static let orderProofSeconds = 12 * 3_600

    private static let context = Array("doorstep order proof\0".utf8)

    /// - Parameter now: domain time.
    func proof(of order: OrderID, at now: Date) -> String {
        var bytes: [UInt8] = [signingKeyID]
        bytes += withUnsafeBytes(of: order.uuid.uuid) { Array($0) }
        let expiresAt = UInt32(clamping: Int(now.timeIntervalSince1970) + Self.orderProofSeconds)
        bytes += withUnsafeBytes(of: expiresAt.bigEndian) { Array($0) }
        bytes += Array(HMAC<SHA256>.authenticationCode(for: Self.context + bytes, using: signingKey))
        return Base64URL.encode(bytes)
    }

    /// Whether it is a proof of this order that has not expired.
    ///
    /// - Parameters:
    ///   - text: nil for none.
    ///   - now: domain time.
    func isProof(_ text: String?, of order: OrderID, at now: Date) -> Bool {
        guard let text, let bytes = Base64URL.decode(text), bytes.count == 53, let key = keys[bytes[0]],
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes[21...], authenticating: Self.context + bytes[..<21], using: key)
        else { return false }
        let uuid = bytes[1..<17].withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        let expiresAt = bytes[17..<21].reduce(0) { $0 << 8 | UInt32($1) }
        return OrderID(UUID(uuid: uuid)) == order && Int(now.timeIntervalSince1970) < Int(expiresAt)
    }
}
