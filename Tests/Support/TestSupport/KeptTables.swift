import Foundation
package import PostgresClient

/// The tables of the connection's schema that `docs/privacy.md` names neither with what is kept in them, nor among those
/// without a person; and those that it names and the schema has not.
///
/// - Parameter service: such as `courier-eta`.
/// - Throws: `PostgresError`, or an error of the file system.
package func tablesAgainstPrivacyPage(
    of service: String, on pool: PostgresPool
) async throws -> (unnamed: [String], unknown: [String]) {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "docs/privacy.md"), encoding: .utf8)
    let (own, shared) = try (named(for: "`\(service)`", on: page), named(for: "each service", on: page))
    // A partition is its table's.
    let tables = try await pool.query(
        """
        SELECT relname::text AS name FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1
        """
    ).map { try $0.decode("name", as: String.self) }
    return (
        tables.filter { !own.contains($0) && !shared.contains($0) }, own.subtracting(tables).sorted()
    )
}

/// The tables of the page's rows about a service.
private func named(for service: String, on page: String) throws -> Set<String> {
    var names: Set<String> = []
    for line in page.split(separator: "\n") where line.hasPrefix("|") {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        let place: Substring? =
            switch cells.count {
            case 6 where cells[1].hasPrefix("\(service), "): cells[1].dropFirst(service.count)
            case 2 where cells[0] == service: cells[1][...]
            default: nil
            }
        // `deliveries.drop_off` is a column of `deliveries`.
        names.formUnion((place ?? "").matches(of: /`(\w+)(?:\.\w+)?`/).map { String($0.output.1) })
    }
    return names
}
