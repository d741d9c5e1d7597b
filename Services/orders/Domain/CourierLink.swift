import Crypto
import Foundation
import OrderDomain
import TextCoding

/// The decoded form of a link to a courier's own page: good until links of its number are revoked.
struct CourierLink: Hashable, Sendable {
    let courier: CourierID
    /// The number of the courier's links since the last revocation, from 1.
    let number: Int
}

/// Encodes links to couriers' pages.
///
/// A token is base64url of: key id (1 byte), number (4, big-endian), the courier's id (1 to 64), HMAC-SHA256 (32) of a
/// context of its own and all that, so that no link of a customer's is one.
extension LinkSigner {
    private static let courierContext = Array("doorstep courier link\0".utf8)
    private static let macBytes = 32
    private static let headBytes = 5

    func url(of link: CourierLink) -> String { "\(origin)/c/\(token(of: link))" }

    func token(of link: CourierLink) -> String {
        var bytes: [UInt8] = [signingKeyID]
        bytes += withUnsafeBytes(of: UInt32(clamping: link.number).bigEndian) { Array($0) }
        bytes += Array(link.courier.rawValue.utf8)
        bytes += Array(HMAC<SHA256>.authenticationCode(for: Self.courierContext + bytes, using: signingKey))
        return Base64URL.encode(bytes)
    }

    /// The link of a token; nil when the signature, the key or the spelling is invalid.
    func courierLink(from token: String) -> CourierLink? {
        guard let bytes = Base64URL.decode(token), bytes.count > Self.headBytes + Self.macBytes,
            let key = keys[bytes[0]],
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes.suffix(Self.macBytes), authenticating: Self.courierContext + bytes.dropLast(Self.macBytes),
                using: key),
            let courier = CourierID(
                rawValue: String(decoding: bytes.dropFirst(Self.headBytes).dropLast(Self.macBytes), as: UTF8.self))
        else { return nil }
        return CourierLink(courier: courier, number: bytes[1..<Self.headBytes].reduce(0) { $0 << 8 | Int($1) })
    }
}
