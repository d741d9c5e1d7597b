public import Crypto
public import Foundation
internal import TextCoding

/// A signature of the body alone, in hexadecimal digits, as delivery providers send it.
///
/// It proves the sender and not the time: the receiver recognises repeats by the body.
public enum HexSignature {
    /// Whether this is the HMAC-SHA-256 of the body.
    ///
    /// - Parameter signature: hexadecimal digits in either case.
    /// - Source: Uber Direct, `x-uber-signature`, whose key is used as the text that it is.
    public static func verifies(_ signature: String, sha256Of body: some DataProtocol, key: SymmetricKey) -> Bool {
        guard let bytes = Hexadecimal.decode(signature) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: body, using: key)
    }

    /// Whether this is the HMAC-SHA-512 of the body.
    ///
    /// - Source: Onfleet, `X-Onfleet-Signature`, whose key is given in hexadecimal digits.
    public static func verifies(_ signature: String, sha512Of body: some DataProtocol, key: SymmetricKey) -> Bool {
        guard let bytes = Hexadecimal.decode(signature) else { return false }
        return HMAC<SHA512>.isValidAuthenticationCode(bytes, authenticating: body, using: key)
    }
}
