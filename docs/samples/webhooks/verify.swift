import Crypto
import Foundation

/// Whether the body was signed with the secret (`whsec_…`) in the last five minutes.
///
/// - Parameter body: as it was received: parsed and written again, it has another signature.
func isAuthentic(_ body: Data, id: String, timestamp: String, signature: String, secret: String) -> Bool {
    guard let seconds = Int64(timestamp), abs(Date().timeIntervalSince1970 - Double(seconds)) <= 300,
        let key = Data(base64Encoded: String(secret.trimmingPrefix("whsec_")))
    else { return false }
    let content = Data("\(id).\(timestamp).".utf8) + body
    // While one secret replaces another there are several signatures.
    return signature.split(separator: " ").contains { one in
        guard one.hasPrefix("v1,"), let code = Data(base64Encoded: String(one.dropFirst(3))) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: SymmetricKey(data: key))
    }
}
