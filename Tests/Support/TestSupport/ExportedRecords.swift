package import Messages
package import ReliableMessaging

/// A customer's records of one part at one service, asked for chunk by chunk as `orders` does.
///
/// - Throws: the error of `export`.
package func exportedRecords(
    _ first: ExportRequest, by export: ExportPerson
) async throws -> [ArchiveSection: [String]] {
    var records: [ArchiveSection: [String]] = [:]
    var cursor = first.cursor
    repeat {
        let chunk = try await export(
            ExportRequest(
                request: first.request, customer: first.customer, store: first.store, deliveries: first.deliveries,
                isLast: first.isLast, cursor: cursor))
        if let section = chunk.section { records[section, default: []] += chunk.records }
        cursor = chunk.next
    } while cursor != nil
    return records
}
