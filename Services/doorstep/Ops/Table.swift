import Foundation

/// Rows in columns that are as wide as what is in them.
struct Table {
    let lines: [String]

    init(_ header: [String], _ rows: [[String]]) {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        lines = all.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.columns) }
                .joined(separator: "  ").trimmingTrailingSpaces
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
