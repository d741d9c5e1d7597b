internal import Foundation

/// Names and values of a query or a form (`application/x-www-form-urlencoded`), the first of each name.
package struct FormValues: Hashable, Sendable {
    /// Names beyond these are passed over.
    package static let namesMax = 128

    private var values: [String: String] = [:]

    package init() {}

    /// Reads `a=1&b=2%20`; what cannot be decoded stays as it is.
    package init(_ text: some StringProtocol) { add(text) }

    /// Adds those names that are not there yet.
    package mutating func add(_ text: some StringProtocol) {
        for pair in text.split(separator: "&", maxSplits: Self.namesMax) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(sides[0])
            if values[name] == nil { values[name] = sides.count > 1 ? Self.decoded(sides[1]) : "" }
        }
    }

    /// Adds those names that are not there yet.
    package mutating func add(_ other: FormValues) { values.merge(other.values) { own, _ in own } }

    /// The first of these names with a value that is not empty.
    package func text(_ names: String...) -> String? {
        for name in names {
            if let value = values[name], !value.isEmpty { return value }
        }
        return nil
    }

    package var isEmpty: Bool { values.isEmpty }

    /// A name or a value as it was meant; what cannot be decoded stays as it is.
    package static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text.map { $0 == "+" ? " " : $0 })
        return spaced.removingPercentEncoding ?? spaced
    }
}
