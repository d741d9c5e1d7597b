/// Rows in columns that are as wide as their widest cell, as lines to print.
package struct Table: Hashable, Sendable {
    package let lines: [String]

    package var text: String { lines.joined(separator: "\n") }

    /// The width below which no column is shortened.
    private static let columnsMin = 4
    /// The least width of the line that names what is left out.
    private static let noteColumnsMin = 40

    /// - Parameters:
    ///   - rows: each with a cell for every column; a control character in a cell becomes a space.
    ///   - columnsMax: the width of the terminal; nil prints every column whole.
    ///   - leavingOut: the columns to leave out of a wider table, in this order; then the widest ones are shortened.
    package init(
        _ header: [String], _ rows: [[String]], columnsMax: Int? = nil, leavingOut: [String] = []
    ) {
        let all = [header] + rows.map { $0.map(\.safeOnTerminal) }
        var widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        var shown = Array(header.indices)
        var leftOut: [String] = []
        func excess() -> Int { columnsMax.map { max in shown.reduce(-2) { $0 + widths[$1] + 2 } - max } ?? 0 }
        for name in leavingOut where excess() > 0 {
            shown.removeAll { header[$0] == name }
            leftOut.append(name)
        }
        while excess() > 0, let widest = shown.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.columnsMin {
            widths[widest] -= 1
        }
        let table = all.map { row in
            shown.map { column in
                let cell = row[column].shortened(to: widths[column])
                return cell + String(repeating: " ", count: widths[column] - cell.columns)
            }.joined(separator: "  ").trimmingTrailingSpaces
        }
        let note = "left out: \(leftOut.joined(separator: ", "))".wrappedBetweenWords(
            to: columnsMax.map { max($0, Self.noteColumnsMin) })
        lines = table + (leftOut.isEmpty ? [] : [""] + note.split(separator: "\n").map(String.init))
    }

    /// A row for each value, or a sentence where there are none.
    ///
    /// - Parameters:
    ///   - more: the options that continue where this page ended; nil for a last page.
    ///   - columnsMax: the width of the terminal; nil prints every column whole.
    ///   - leavingOut: the columns to leave out of a wider table, in this order.
    ///   - cells: of one value, a cell for every column.
    package init<Value>(
        _ header: [String], of values: [Value], ifEmpty sentence: String, more: [String?] = [],
        columnsMax: Int? = nil, leavingOut: [String] = [], cells: (Value) -> [String]
    ) {
        let more = more.compactMap(\.self).map { "more: \($0)".safeOnTerminal }
        let table =
            values.isEmpty
            ? [sentence]
            : Table(header, values.map(cells), columnsMax: columnsMax, leavingOut: leavingOut).lines
        lines = table + (more.isEmpty ? [] : [""] + more)
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
