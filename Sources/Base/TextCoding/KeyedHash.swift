internal import Crypto
internal import Foundation

/// A hash of texts that only the holder of a key can compute: to recognise an id that was forgotten.
///
/// HMAC-SHA256, written as the key's number, a colon and hexadecimal digits. A hash of a former key is recognised while
/// that key is in the file.
package struct KeyedHash: Sendable {
    private let keys: [UInt8: SymmetricKey]
    private let current: UInt8

    package static let keyBytes = 32

    /// Nil where no key has the current number, or one has not 32 bytes.
    package init?(keys: [UInt8: [UInt8]], current: UInt8) {
        guard keys[current] != nil, keys.values.allSatisfy({ $0.count == Self.keyBytes }) else { return nil }
        self.keys = keys.mapValues { SymmetricKey(data: $0) }
        self.current = current
    }

    /// The hash by the current key.
    package func callAsFunction(_ text: String) -> String { hash(text, by: current) }

    /// The hashes by every key, the current one's first.
    package func all(_ text: String) -> [String] {
        [hash(text, by: current)] + keys.keys.filter { $0 != current }.sorted().map { hash(text, by: $0) }
    }

    private func hash(_ text: String, by number: UInt8) -> String {
        guard let key = keys[number] else { preconditionFailure("the number is of a key") }
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return "\(number):\(Hexadecimal.encode(code))"
    }
}
