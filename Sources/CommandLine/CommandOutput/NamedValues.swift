internal import Foundation

/// Named values as lines to print, each value in the same column.
package struct NamedValues: Hashable, Sendable {
    package let lines: [String]

    package var text: String { lines.joined(separator: "\n") }

    /// - Parameters:
    ///   - values: in display order; a value without a text is omitted.
    ///   - nameColumnsMin: the least width of the name column.
    package init(_ values: [(name: String, text: String?)], nameColumnsMin: Int = 0) {
        var shown: [(name: String, text: String)] = []
        for value in values {
            if let text = value.text { shown.append((value.name, text)) }
        }
        let width = shown.reduce(nameColumnsMin) { max($0, $1.name.count) }
        lines = shown.map { value in
            let name = value.name.padding(toLength: width, withPad: " ", startingAt: 0)
            return "\(name)  \(value.text)".safeOnTerminal
        }
    }
}
