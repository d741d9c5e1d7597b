import Crypto
import Foundation
import TextCoding

/// The secret that proves a device's identity, since its id is public.
///
/// The device keeps the secret; the service stores its SHA-256 alone.
struct DeviceSecret: Hashable, Sendable {
    /// The secret's text: 256 random bits in base64url, without padding.
    let text: String

    init(_ text: String) { self.text = text }

    init(using random: inout some RandomNumberGenerator) {
        text = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}
