import CommandOutput
import Foundation

/// Named values as lines to print, each value in the same column.
struct NamedValues {
    let lines: [String]

    /// - Parameter values: in their order; one without a text is left out.
    init(_ values: [(name: String, text: String?)]) {
        var shown: [(name: String, text: String)] = []
        for value in values {
            if let text = value.text { shown.append((value.name, text)) }
        }
        let width = shown.map { $0.name.count }.max() ?? 0
        lines = shown.map { value in
            let name = value.name.padding(toLength: width, withPad: " ", startingAt: 0)
            return "\(name)  \(value.text)".safeOnTerminal
        }
    }
}
