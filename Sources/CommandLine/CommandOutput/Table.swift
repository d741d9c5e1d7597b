/// Rows in columns that are as wide as their widest cell, as lines to print.
package struct Table: Hashable, Sendable {
    package let lines: [String]

    package var text: String { lines.joined(separator: "\n") }

    /// - Parameter rows: each with a cell for every column; a control character in a cell becomes a space.
    package init(_ header: [String], _ rows: [[String]]) {
        let all = [header] + rows.map { $0.map(\.safeOnTerminal) }
        let widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        lines = all.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.columns) }
                .joined(separator: "  ").trimmingTrailingSpaces
        }
    }

    /// A row for each value, or a sentence where there are none.
    ///
    /// - Parameters:
    ///   - more: the options that continue where this page ended; nil for a last page.
    ///   - cells: of one value, a cell for every column.
    package init<Value>(
        _ header: [String], of values: [Value], ifEmpty sentence: String, more: [String?] = [],
        cells: (Value) -> [String]
    ) {
        let more = more.compactMap(\.self).map { "more: \($0)".safeOnTerminal }
        lines =
            (values.isEmpty ? [sentence] : Table(header, values.map(cells)).lines) + (more.isEmpty ? [] : [""] + more)
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
