import CommaSeparatedValues
import CommandOutput
import Foundation

/// A file of comma-separated values in a folder of recorded data.
struct RecordedTable {
    let name: String
    private let table: CSVTable
    private let path: String

    /// - Throws: `CommandFailure` of kind usage when there is no such file, or one of the needed columns is missing.
    init(_ file: URL, needing needed: [String]) throws {
        name = file.lastPathComponent
        path = file.path
        let data: Data
        do {
            data = try Data(contentsOf: file, options: .mappedIfSafe)
        } catch {
            throw CommandFailure(.usage, "\(file.path) cannot be read: \(error.localizedDescription)")
        }
        do {
            table = try CSVTable(data)
        } catch {
            throw CommandFailure(.usage, "\(file.path), \(error)")
        }
        if let missing = needed.first(where: { !table.columns.contains($0) }) {
            throw CommandFailure(.usage, "\(file.path) has no column \(missing) in its first line")
        }
    }

    /// Calls `body` with each row, in the order of the file.
    ///
    /// - Throws: `CommandFailure` of kind usage at a row that is not CSV, and the error of `body`.
    func forEachRow(_ body: (CSVTable.Row) throws -> Void) throws {
        do {
            try table.forEachRow(body)
        } catch let fault as CSVFault {
            throw CommandFailure(.usage, "\(path), \(fault)")
        }
    }
}

/// Rows that were skipped, and why: reported once at the end, the first of them by line.
struct SkippedRows {
    private(set) var count = 0
    private var first: [String] = []

    mutating func append(_ row: CSVTable.Row, of table: RecordedTable, because reason: String) {
        count += 1
        if first.count < 5 { first.append("\(table.name) line \(row.line): \(reason)") }
    }

    /// One line for each of the first five faults, and their number; nil for none.
    var summary: String? {
        guard count > 0 else { return nil }
        let rest = count > first.count ? ["… \(count) rows passed over in all"] : []
        return (first + rest).joined(separator: "\n")
    }
}
