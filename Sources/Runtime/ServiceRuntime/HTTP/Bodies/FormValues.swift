internal import Foundation

/// Names and values of a query or a form (`application/x-www-form-urlencoded`).
package struct FormValues: Hashable, Sendable {
    /// Later pairs are ignored, unless the caller bounds the text.
    package static let pairsMax = 128

    /// The values of each name, in the order of the text.
    private var values: [String: [String]] = [:]

    package init() {}

    /// Reads `a=1&b=2%20`; what cannot be decoded stays as it is.
    package init(_ text: some StringProtocol, pairsMax: Int = FormValues.pairsMax) {
        for pair in text.split(separator: "&", maxSplits: pairsMax).prefix(pairsMax) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[Self.decoded(sides[0]), default: []].append(sides.count > 1 ? Self.decoded(sides[1]) : "")
        }
    }

    /// Adds those names that are not there yet.
    package mutating func add(_ text: some StringProtocol) { add(FormValues(text)) }

    /// Adds those names that are not there yet.
    package mutating func add(_ other: FormValues) { values.merge(other.values) { own, _ in own } }

    /// The first of these names with a value that is not empty; of a name that is there several times, its first.
    package func text(_ names: String...) -> String? {
        for name in names {
            if let value = values[name]?.first, !value.isEmpty { return value }
        }
        return nil
    }

    /// Every value of a name, as what is chosen several times has them.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The first value of each name.
    package var fields: [String: String] { values.compactMapValues(\.first) }

    package var isEmpty: Bool { values.isEmpty }

    /// A name or a value as it was meant; what cannot be decoded stays as it is.
    package static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text.map { $0 == "+" ? " " : $0 })
        return spaced.removingPercentEncoding ?? spaced
    }
}
