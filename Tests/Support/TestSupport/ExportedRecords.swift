package import Messages
package import ReliableMessaging

/// A person's records of one part at one service, asked for chunk by chunk as `orders` does.
///
/// - Throws: the error of `export`.
package func exportedRecords(
    _ first: ExportRequest, by export: ExportPerson
) async throws -> [ArchiveSection: [String]] {
    guard let person = first.person else { preconditionFailure("the request names no person") }
    var records: [ArchiveSection: [String]] = [:]
    var cursor = first.cursor
    repeat {
        let chunk = try await export(
            ExportRequest(
                request: first.request, person: person, store: first.store, deliveries: first.deliveries,
                isLast: first.isLast, cursor: cursor))
        if let section = chunk.section { records[section, default: []] += chunk.records }
        cursor = chunk.next
    } while cursor != nil
    return records
}
