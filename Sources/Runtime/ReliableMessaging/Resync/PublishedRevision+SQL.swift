package import Messages
package import PostgresClient

extension PostgresExecutor {
    /// The indexes, from 0 and in order, of the revisions that a reader lacks.
    ///
    /// - Parameter lacking: the SQL after FROM: joins of `published`, whose columns are `id`, `is_ended`, `version`,
    ///   `step` and `is_prolonged`, and the condition.
    /// - Throws: ``PostgresError``.
    package func places(in revisions: [PublishedRevision], lacking: SQL) async throws -> [Int] {
        guard !revisions.isEmpty else { return [] }
        return try await query(
            """
            SELECT place - 1 AS place FROM unnest(\(revisions.map(\.id))::text[],
                \(PostgresNullableArray(revisions.map(\.isEnded)))::boolean[], \(revisions.map(\.version))::bigint[],
                \(revisions.map(\.step))::bigint[], \(PostgresNullableArray(revisions.map(\.isProlonged)))::boolean[])
                WITH ORDINALITY AS published (id, is_ended, version, step, is_prolonged, place)
            \(sql: lacking)
            """
        ).map { try $0.decode("place") }.sorted()
    }
}
