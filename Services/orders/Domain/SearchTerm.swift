import Foundation

/// What somebody knows of a delivery: an order's reference, a customer, a courier's name, or the beginning of an id.
///
/// Upper and lower case are one.
struct SearchTerm: RawRepresentable, Hashable, Sendable {
    static let charactersMax = 64
    /// Characters from which on the beginning of an id finds what is long over: one in four thousand million.
    static let beginningOfOldIDMin = 8

    /// Without white space around it.
    let rawValue: String

    init?(rawValue: String) {
        let text = rawValue.trimmingCharacters(in: .whitespaces)
        guard (1...Self.charactersMax).contains(text.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.rawValue = text
    }

    /// The beginning of an id of ours, in lower case, that is long enough to find what is long over; nil for other text.
    var beginningOfOldID: String? {
        let text = rawValue.lowercased()
        guard text.utf8.count >= Self.beginningOfOldIDMin, text.allSatisfy({ $0 == "-" || $0.isHexDigit && $0.isASCII })
        else { return nil }
        return text
    }
}
