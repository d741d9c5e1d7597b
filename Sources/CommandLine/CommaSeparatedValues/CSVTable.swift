package import Foundation

/// A table of comma-separated values whose first record names the columns; rows are read one at a time.
///
/// Names are compared without regard to case. White space around names and fields is stripped.
package struct CSVTable {
    /// One record after the header.
    package struct Row {
        /// The line of the file that it starts on, counted from 1.
        package let line: Int
        fileprivate let fields: [String]
        fileprivate let indexes: [String: Int]

        /// Whether the record is long enough to have a field in this column, empty or not.
        package func has(_ column: String) -> Bool { indexes[column].map { $0 < fields.count } ?? false }

        /// Nil where the field is missing or empty.
        package func text(_ column: String) -> String? {
            guard let index = indexes[column], index < fields.count else { return nil }
            let text = fields[index].trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? nil : text
        }

        /// Nil where the field is missing, empty or no finite number.
        package func number(_ column: String) -> Double? {
            text(column).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    /// The header's names in lower case; empty for an empty file.
    package let columns: Set<String>
    private let data: Data
    private let indexes: [String: Int]

    /// - Parameter data: the whole file; map a large one rather than reading it.
    /// - Throws: ``CSVFault`` when the header cannot be read.
    package init(_ data: Data) throws {
        self.data = data
        let header = try data.withUnsafeBytes { bytes in
            var records = CSVRecords(bytes)
            return try records.next()?.fields ?? []
        }
        let names = header.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        indexes = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        columns = Set(names)
    }

    /// Calls `body` with each row, in the order of the file.
    ///
    /// - Throws: ``CSVFault`` at the first unreadable record, and the error of `body`.
    package func forEachRow(_ body: (Row) throws -> Void) throws {
        try data.withUnsafeBytes { bytes in
            var records = CSVRecords(bytes)
            _ = try records.next()
            while let record = try records.next() {
                try body(Row(line: record.line, fields: record.fields, indexes: indexes))
            }
        }
    }
}
