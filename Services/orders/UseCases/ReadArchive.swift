import Foundation
import Messages
import PostgresClient

/// Reads the archive of an export chunk by chunk: no more of it is in memory.
struct ReadArchive: Sendable {
    let pool: PostgresPool
    /// Opens archives; nil where none can be kept.
    let box: ArchiveBox?

    /// The archive ends before its last record.
    enum Interruption: Error, Hashable, Sendable {
        /// The person was erased meanwhile, or the archive has expired.
        case deleted
        case unreadable
    }

    /// Writes an archive.
    ///
    /// - Parameter write: writes a text, and returns once the reader has accepted it.
    /// - Throws: ``Interruption``, or the error of `write`: what is written is no whole archive then.
    func callAsFunction(
        _ export: PersonExport, as format: some ArchiveFormat, write: (String) async throws -> Void
    ) async throws {
        guard let box else { throw Interruption.unreadable }
        var format = format
        try await write(format.beginning)
        for section in export.person.sections {
            try await write(format.begin(section))
            var number = 0
            while let chunk = try await ExportRepository.chunk(
                of: export.id, in: section, after: number, on: pool)
            {
                // Any failure means that a key is missing, or the row is damaged.
                guard
                    let records = try? box.open(chunk.sealed, in: section, number: chunk.number, of: export.id)
                else { throw Interruption.unreadable }
                try await write(records.map { format.text(of: $0) }.joined())
                number = chunk.number
            }
            try await write(format.end(section))
        }
        // Chunks that were deleted meanwhile are missing in what is written.
        guard try await ExportRepository.export(export.id, on: pool) != nil else { throw Interruption.deleted }
        try await write(format.end)
    }
}
