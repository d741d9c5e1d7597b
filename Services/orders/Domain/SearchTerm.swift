import Foundation

/// A search text: an order's reference, a customer, a courier's or the recipient's name, a phone number, a street, or
/// the beginning of an id.
///
/// The search ignores case, marks on letters of names and streets, and hyphens of what is live or ended lately.
struct SearchTerm: RawRepresentable, Hashable, Sendable {
    static let charactersMax = 64
    /// Characters from which on a prefix of an id finds old deliveries: one in four thousand million.
    static let beginningOfOldIDMin = 8

    /// Digits from which on a number is a reference's, and not merely its beginning.
    static let referenceDigitsMin = 3

    /// Without white space around it.
    let rawValue: String

    init?(rawValue: String) {
        let text = rawValue.trimmingCharacters(in: .whitespaces)
        guard (1...Self.charactersMax).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.rawValue = text
    }

    /// The beginning of a Doorstep id, in lower case, long enough to find old orders; nil for other text.
    var beginningOfOldID: String? {
        let text = rawValue.lowercased()
        guard text.utf8.count >= Self.beginningOfOldIDMin, text.allSatisfy({ $0 == "-" || $0.isHexDigit && $0.isASCII })
        else { return nil }
        return text
    }

    /// The number of a reference without its prefix: `1042` of `G-1042`; nil for other text.
    var referenceNumber: String? {
        guard rawValue.count >= Self.referenceDigitsMin, rawValue.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        return rawValue
    }
}
