import Foundation

/// A table of comma-separated values with a header, read whole; columns are found by name.
struct CSVTable {
    /// One row, and the line of the file it is on.
    struct Row {
        let line: Int
        fileprivate let fields: [Substring]
        fileprivate let columns: [String: Int]

        /// Nil where the column is missing or empty.
        func text(_ column: String) -> String? {
            guard let index = columns[column], index < fields.count else { return nil }
            let text = fields[index].trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? nil : text
        }

        /// Nil where the column is missing, empty or no number.
        func number(_ column: String) -> Double? {
            text(column).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    let name: String
    let columns: Set<String>
    let rows: [Row]

    /// - Throws: when there is no such file, or a column is missing that the rest cannot do without.
    init(_ file: URL, needing needed: [String]) throws {
        name = file.lastPathComponent
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw CommandFailure(.usage, "\(file.path) cannot be read: \(error.localizedDescription)")
        }
        let lines = String(decoding: data, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let header = lines.first?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        let names = header.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \"\u{feff}")) }
        let index = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        columns = Set(names)
        if let missing = needed.first(where: { index[$0] == nil }) {
            throw CommandFailure(.usage, "\(file.path) has no column \(missing) in its first line")
        }
        rows = lines.enumerated().dropFirst().filter { !$1.isEmpty }.map { number, line in
            Row(
                line: number + 1, fields: line.split(separator: ",", omittingEmptySubsequences: false),
                columns: index)
        }
    }
}

/// Rows that were passed over, and why: told once at the end, the first of them by line.
struct PassedOver {
    private(set) var count = 0
    private var first: [String] = []

    mutating func note(_ table: CSVTable, _ row: CSVTable.Row, _ why: String) {
        count += 1
        if first.count < 5 { first.append("\(table.name) line \(row.line): \(why)") }
    }

    /// One line for each of the first, and how many there were; nil for none.
    var summary: String? {
        guard count > 0 else { return nil }
        let rest = count > first.count ? ["… \(count) rows passed over in all"] : []
        return (first + rest).joined(separator: "\n")
    }
}
