import Crypto
import DoorstepAPI
import Foundation
import OrderDomain

/// Names one enrolled phone; empty for a courier's own app, which comes with the courier's token.
struct PhoneID: RawRepresentable, Hashable, Comparable, Sendable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    /// The courier's own app.
    static let own = PhoneID(rawValue: "")

    /// A new one: the second of its making, then 32 random bits, in hexadecimal digits.
    init(enrolledAt date: Date, random: UInt32) {
        func hexadecimal(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        }
        rawValue = hexadecimal(UInt64(max(0, date.timeIntervalSince1970))) + "-" + hexadecimal(UInt64(random))
    }

    static func < (one: PhoneID, other: PhoneID) -> Bool { one.rawValue < other.rawValue }
}

/// A phone that may send a courier's fixes.
struct Phone: Hashable, Sendable {
    let id: PhoneID
    let courier: CourierID
    let app: TrackerApp?
    let label: String?
    let enrolledAt: Date
    let enrolledBy: String
    var revokedAt: Date?
    var revokedBy: String?
    /// The time of the last request, to the minute.
    var lastSeenAt: Date?
    /// Positions that could not be read, and when the last was noticed, to the minute.
    var malformed = 0
    var malformedAt: Date?
}

/// A phone's credential: `dp` and 26 characters, 128 random bits in Crockford's base 32.
///
/// Safe in a URL, a path and a header, and short enough to type.
struct PhoneToken: Hashable, Sendable {
    private static let prefix = "dp"
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    let text: String

    /// Parses an id; nil for an impossible one, so that it costs no query.
    init?(_ text: some StringProtocol) {
        let lower = text.lowercased()
        guard lower.hasPrefix(Self.prefix), lower.utf8.count == 28,
            lower.utf8.dropFirst(2).allSatisfy(Self.alphabet.contains)
        else { return nil }
        self.text = lower
    }

    private init(text: String) { self.text = text }

    static func generate(using random: inout some RandomNumberGenerator) -> PhoneToken {
        let bytes = (0..<26).map { _ in alphabet[Int(random.next() % 32)] }
        return PhoneToken(text: prefix + String(decoding: bytes, as: UTF8.self))
    }

    /// The stored hash of the token.
    var hash: [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }
}
