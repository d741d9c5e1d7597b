public import Crypto
public import Foundation

/// A signature of the body alone, in hexadecimal digits, as delivery providers send it.
///
/// It proves the sender and not the time: the receiver recognises repeats by the body.
public enum HexSignature {
    /// Whether this is the HMAC-SHA-256 of the body.
    ///
    /// - Parameter signature: hexadecimal digits in either case.
    /// - Source: Uber Direct, `x-uber-signature`, whose key is used as the text that it is.
    public static func verifies(_ signature: String, sha256Of body: some DataProtocol, key: SymmetricKey) -> Bool {
        guard let bytes = bytes(signature, count: SHA256.byteCount) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: body, using: key)
    }

    /// Whether this is the HMAC-SHA-512 of the body.
    ///
    /// - Source: Onfleet, `X-Onfleet-Signature`, whose key is given in hexadecimal digits.
    public static func verifies(_ signature: String, sha512Of body: some DataProtocol, key: SymmetricKey) -> Bool {
        guard let bytes = bytes(signature, count: SHA512.byteCount) else { return false }
        return HMAC<SHA512>.isValidAuthenticationCode(bytes, authenticating: body, using: key)
    }

    /// The bytes of hexadecimal digits; nil for anything else, and for another number of bytes.
    public static func bytes(_ text: String, count: Int? = nil) -> Data? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), count.map({ $0 * 2 == digits.count }) ?? true else { return nil }
        var bytes = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
