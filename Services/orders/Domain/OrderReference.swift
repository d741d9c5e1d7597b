import Foundation

/// The shop's number of an order, as a person types it: without white space around it, and compared in any case.
struct OrderReference: RawRepresentable, Hashable, Sendable {
    static let charactersMax = 24

    let rawValue: String

    init?(rawValue: String) {
        let text = rawValue.trimmingCharacters(in: .whitespaces)
        guard (1...Self.charactersMax).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.rawValue = text
    }
}
