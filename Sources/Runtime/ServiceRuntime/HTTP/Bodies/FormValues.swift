internal import Foundation

/// Names and values of a query or a form (`application/x-www-form-urlencoded`).
package struct FormValues: Hashable, Sendable {
    /// Later pairs are ignored, unless the caller bounds the text.
    package static let pairsMax = 128

    /// The values of each name, in the order of the text.
    private var values: [String: [String]] = [:]

    /// Parses `a=1&b=2%20`; undecodable text stays as it is.
    package init(_ text: some StringProtocol, pairsMax: Int = FormValues.pairsMax) {
        for pair in text.split(separator: "&", maxSplits: pairsMax).prefix(pairsMax) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[Self.decoded(sides[0]), default: []].append(sides.count > 1 ? Self.decoded(sides[1]) : "")
        }
    }

    /// Adds the names that are missing.
    package mutating func add(_ text: some StringProtocol) { add(FormValues(text)) }

    /// Adds the names that are missing.
    package mutating func add(_ other: FormValues) { values.merge(other.values) { own, _ in own } }

    /// The first of these names with a non-empty value; of a repeated name, its first value.
    package func text(_ names: String...) -> String? {
        for name in names {
            if let value = values[name]?.first, !value.isEmpty { return value }
        }
        return nil
    }

    /// Every value of a name, as for multiple choices.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The first value of each name.
    package var fields: [String: String] { values.compactMapValues(\.first) }

    package var isEmpty: Bool { values.isEmpty }

    /// A decoded name or value; undecodable text stays as it is.
    package static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text.map { $0 == "+" ? " " : $0 })
        return spaced.removingPercentEncoding ?? spaced
    }
}
