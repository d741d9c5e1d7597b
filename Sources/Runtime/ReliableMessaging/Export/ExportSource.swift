internal import Foundation
package import Messages
package import PostgresClient

/// A record of a person's archive, and its place in its section.
package struct ExportedRow: Sendable {
    /// Rises by bytes with each row of the section in a part.
    package let key: String
    /// A JSON object without a line break; nil for a row that is not the person's to see.
    package let record: String?

    package init(key: String, record: String?) {
        self.key = key
        self.record = record
    }
}

/// A section of a person's archive that a service fills from its tables.
package struct ExportSource: Sendable {
    /// The most rows that one reading of a statement returns.
    package static let rowsMax = 200

    /// Rows after a key in the order of their keys, fewer than there are only if some are returned.
    package typealias Reading = @Sendable (_ request: ExportRequest, _ after: String) async throws -> [ExportedRow]

    package let section: ArchiveSection
    package let read: Reading

    package init(_ section: ArchiveSection, read: @escaping Reading) {
        self.section = section
        self.read = read
    }

    /// Records that one statement makes.
    ///
    /// The database bounds their bytes: rows beyond ``ExportChunk/bytesMax`` never arrive.
    /// - Parameter rows: the text column `key` and the `jsonb` column `record` of a part's rows; nil where it has none.
    package init(
        _ section: ArchiveSection, on pool: PostgresPool, rows: @escaping @Sendable (ExportRequest) -> SQL?
    ) {
        self.init(section) { request, after in
            guard let rows = rows(request) else { return [] }
            return try await pool.query(
                """
                SELECT key, record FROM (
                    SELECT key, record,
                        sum(octet_length(record)) OVER (ORDER BY key) - octet_length(record) AS bytes_before
                    FROM (
                        SELECT key COLLATE "C" AS key, jsonb_strip_nulls(record)::text AS record
                        FROM (\(sql: rows)) AS records WHERE key COLLATE "C" > \(after) ORDER BY 1 LIMIT \(Self.rowsMax)
                    ) AS following
                ) AS bounded WHERE bytes_before < \(ExportChunk.bytesMax) ORDER BY key
                """
            ).map { ExportedRow(key: try $0.decode("key"), record: try $0.decode("record", as: String.self)) }
        }
    }
}

/// Answers requests for a person's records, chunk by chunk: a service keeps no more of them in memory.
package struct ExportPerson: Sendable {
    private let sources: [ExportSource]

    /// - Parameter sources: of different sections, in the order in which they are read.
    package init(_ sources: [ExportSource]) { self.sources = sources }

    /// The sections that it fills.
    package var sections: [ArchiveSection] { sources.map(\.section) }

    /// The next records of a part.
    ///
    /// - Throws: ``PostgresError``, or another error of a source.
    package func callAsFunction(_ request: ExportRequest) async throws -> ExportChunk {
        let wanted = request.person?.sections ?? []
        let sources = sources.filter { wanted.contains($0.section) }
        var (index, after) = (0, "")
        if let cursor = request.cursor {
            guard let place = Self.place(of: cursor, in: sources) else {
                return ExportChunk(fault: "its cursor names no section")
            }
            (index, after) = place
        }
        while index < sources.count {
            let rows = try await sources[index].read(request, after)
            guard let last = rows.last else {
                (index, after) = (index + 1, "")
                continue
            }
            let section = sources[index].section
            let (records, end) = Self.bounded(rows)
            // An answer of its own: a search through many rows finds none for a long time.
            guard !records.isEmpty else {
                return ExportChunk(section: nil, records: [], next: "\(section.rawValue)/\(last.key)")
            }
            return ExportChunk(section: section, records: records, next: "\(section.rawValue)/\(end)")
        }
        return ExportChunk(section: nil, records: [], next: nil)
    }

    /// The records that fit into a chunk, one at least where there is any, and the key of the last one's row.
    private static func bounded(_ rows: [ExportedRow]) -> (records: [String], end: String) {
        var (records, end, bytes): ([String], String, Int) = ([], "", 0)
        for row in rows {
            guard bytes < ExportChunk.bytesMax else { break }
            if let record = row.record {
                records.append(record)
                bytes += record.utf8.count
            }
            end = row.key
        }
        return (records, end)
    }

    /// Nil for a cursor of a section that this version, or an archive of the person, does not have.
    private static func place(of cursor: String, in sources: [ExportSource]) -> (index: Int, after: String)? {
        guard let slash = cursor.firstIndex(of: "/"),
            let index = sources.firstIndex(where: { $0.section.rawValue == cursor[..<slash] })
        else { return nil }
        return (index, String(cursor[cursor.index(after: slash)...]))
    }
}
