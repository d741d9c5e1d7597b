import DeliveryProviders
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TextCoding

/// The SQL of sources and their secrets, and of providers' references of deliveries.
enum SourceRepository {
    // MARK: Sources

    /// The source of an id; nil where there is none.
    static func source(
        _ id: SourceID, by box: SecretBox, on database: some PostgresExecutor
    ) async throws -> Source? {
        try await sources(where: "sources.source_id = \(id.rawValue)", by: box, on: database).first
    }

    /// Whether there is a source of this id that the caller may see.
    ///
    /// - Parameter store: the only store whose sources the caller may see; nil for all.
    static func hasSource(
        _ id: SourceID, of store: StoreID?, on database: some PostgresExecutor
    ) async throws -> Bool {
        try await !database.query(
            """
            SELECT source_id FROM sources WHERE source_id = \(id.rawValue)
                AND (\(store?.rawValue)::text IS NULL OR store_id = \(store?.rawValue))
            """
        ).isEmpty
    }

    /// Whether the source is of one store and the delivery is known to be of another.
    static func isOfOtherStore(
        _ id: SourceID, than delivery: DeliveryID, on database: some PostgresExecutor
    ) async throws -> Bool {
        try await !database.query(
            """
            SELECT source_id FROM sources JOIN deliveries ON deliveries.store_id <> sources.store_id
            WHERE source_id = \(id.rawValue) AND delivery_id = \(delivery.rawValue)
            """
        ).isEmpty
    }

    /// Every source, by id.
    ///
    /// - Parameter store: the only store of the sources; nil for all.
    static func sources(
        of store: StoreID? = nil, by box: SecretBox, on database: some PostgresExecutor
    ) async throws -> [Source] {
        try await sources(
            where: store.map { "sources.store_id = \($0.rawValue)" } ?? "true", by: box, on: database)
    }

    private static func sources(
        where condition: SQL, by box: SecretBox, on database: some PostgresExecutor
    ) async throws -> [Source] {
        let rows = try await database.query(
            """
            SELECT sources.source_id, provider, name, store_id, accepts_test, sources.created_at,
                source_secret_id, sealed, source_secrets.created_at AS secret_created_at
            FROM sources LEFT JOIN source_secrets ON source_secrets.source_id = sources.source_id
            WHERE \(sql: condition)
            ORDER BY sources.source_id, number
            """)
        var sources: [Source] = []
        for row in rows {
            guard let id = SourceID(rawValue: try row.decode("source_id")),
                let provider = DeliveryProvider(rawValue: try row.decode("provider"))
            else { continue }
            var secrets = sources.last?.id == id ? sources.removeLast().secrets : []
            if let secret = try row.decode("source_secret_id", as: String?.self) {
                // `SourceCache` logs a secret whose encryption key is missing.
                secrets.append(
                    .init(
                        id: secret, text: try? box.open(try row.decode("sealed"), of: id.rawValue),
                        createdAt: try row.decode("secret_created_at")))
            }
            sources.append(
                Source(
                    id: id, provider: provider, name: try row.decode("name"),
                    store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init),
                    acceptsTest: try row.decode("accepts_test"), secrets: secrets,
                    createdAt: try row.decode("created_at")))
        }
        return sources
    }

    /// Locks out other additions until the transaction ends, and counts the sources of a store.
    static func lockCount(of store: StoreID, in transaction: PostgresTransaction) async throws -> Int {
        try await transaction.batch([
            "SELECT pg_advisory_xact_lock(hashtextextended('sources', 0))",
            "SELECT count(*) AS count FROM sources WHERE store_id = \(store.rawValue)",
        ])[1].rows[0].decode("count")
    }

    /// Adds a source; false where there is one of this id.
    static func insert(_ source: Source, in transaction: PostgresTransaction) async throws -> Bool {
        try await transaction.execute(
            """
            INSERT INTO sources (source_id, provider, name, store_id, accepts_test, created_at)
            VALUES (\(source.id.rawValue), \(source.provider.rawValue), \(source.name), \(source.store?.rawValue),
                \(source.acceptsTest), \(source.createdAt)) ON CONFLICT DO NOTHING
            """) > 0
    }

    static func update(_ source: Source, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            """
            UPDATE sources SET name = \(source.name), store_id = \(source.store?.rawValue),
                accepts_test = \(source.acceptsTest)
            WHERE source_id = \(source.id.rawValue)
            """)
    }

    /// Deletes a source; its references are kept with its provider and its store.
    static func delete(_ id: SourceID, on database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            WITH deleted AS (DELETE FROM sources WHERE source_id = \(id.rawValue) RETURNING source_id, store_id)
            UPDATE provider_references AS held SET store_id = deleted.store_id FROM deleted
            WHERE held.source_id = deleted.source_id AND held.store_id IS NULL AND deleted.store_id IS NOT NULL
            """)
    }

    /// Locks a source, so that its secrets are changed by one at a time; false where there is none.
    static func lock(_ id: SourceID, in transaction: PostgresTransaction) async throws -> Bool {
        try await !transaction.query(
            "SELECT source_id FROM sources WHERE source_id = \(id.rawValue) FOR NO KEY UPDATE"
        ).isEmpty
    }

    /// Adds a secret, and deletes all but the newest ones.
    static func insert(
        _ secret: Source.Secret, of id: SourceID, by box: SecretBox, in transaction: PostgresTransaction
    ) async throws {
        let sealed = try box.seal(secret.text ?? "", of: id.rawValue)
        try await transaction.batch([
            """
            INSERT INTO source_secrets (source_secret_id, source_id, sealed, created_at)
            VALUES (\(secret.id), \(id.rawValue), \(sealed), \(secret.createdAt))
            """,
            """
            DELETE FROM source_secrets WHERE source_id = \(id.rawValue) AND source_secret_id NOT IN (
                SELECT source_secret_id FROM source_secrets WHERE source_id = \(id.rawValue)
                ORDER BY number DESC LIMIT \(Source.secretsMax))
            """,
        ])
    }

    /// Encrypts a source's secrets by the present key; one whose own key is missing stays as it is.
    static func reseal(_ id: SourceID, by box: SecretBox, in transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(
            "SELECT source_secret_id, sealed FROM source_secrets WHERE source_id = \(id.rawValue)")
        for row in rows {
            let secret = try row.decode("source_secret_id", as: String.self)
            guard let sealed = try box.resealed(try row.decode("sealed"), of: id.rawValue) else { continue }
            try await transaction.execute(
                "UPDATE source_secrets SET sealed = \(sealed) WHERE source_secret_id = \(secret)")
        }
    }

    static func deleteSecret(_ secret: String, of id: SourceID, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            "DELETE FROM source_secrets WHERE source_id = \(id.rawValue) AND source_secret_id = \(secret)")
    }

    // MARK: References

    /// Records a provider's reference of a delivery.
    ///
    /// A reference of an ended delivery is free for a live one of the same store, as where it is the order's number.
    /// One in use by a delivery of another store becomes contested, unless the source may not report on that one.
    /// - Parameter decides: whether a contested reference is assigned to this delivery.
    /// - Returns: the delivery of the reference afterwards: another one where it is in use, and nil without the source.
    static func setReference(
        _ reference: ProviderReferenceBody, of delivery: DeliveryID, within store: StoreID?, decides: Bool = false,
        at now: Date, on database: some PostgresExecutor
    ) async throws -> String? {
        try await database.query(
            """
            INSERT INTO provider_references AS held (source_id, reference, delivery_id, store_id, set_at, provider)
            SELECT source_id, \(reference.reference)::text, \(delivery.rawValue)::text, \(store?.rawValue)::text,
                \(now)::timestamptz, provider
            FROM sources WHERE source_id = \(reference.source.rawValue) FOR KEY SHARE
            ON CONFLICT (source_id, reference) DO UPDATE SET (delivery_id, store_id, set_at, provider, is_contested) = (SELECT
                CASE WHEN takes THEN EXCLUDED.delivery_id ELSE held.delivery_id END,
                CASE WHEN takes THEN EXCLUDED.store_id ELSE held.store_id END,
                CASE WHEN takes THEN EXCLUDED.set_at ELSE held.set_at END,
                EXCLUDED.provider,
                CASE WHEN is_foreign THEN false WHEN held.is_contested THEN NOT \(decides)
                    ELSE NOT takes AND coalesce(
                        (SELECT store_id FROM deliveries WHERE delivery_id = EXCLUDED.delivery_id)
                        <> coalesce((SELECT store_id FROM deliveries WHERE delivery_id = held.delivery_id), held.store_id),
                        false) END
                FROM (SELECT EXISTS (
                        SELECT FROM sources JOIN deliveries ON deliveries.store_id <> sources.store_id
                        WHERE source_id = held.source_id AND delivery_id = held.delivery_id)) AS holder (is_foreign),
                    LATERAL (SELECT held.delivery_id = EXCLUDED.delivery_id OR is_foreign
                        OR CASE WHEN held.is_contested THEN \(decides)
                    ELSE EXISTS (
                        SELECT FROM deliveries AS former JOIN deliveries AS new ON new.store_id = former.store_id
                        WHERE former.delivery_id = held.delivery_id AND new.delivery_id = EXCLUDED.delivery_id
                            AND coalesce(former.ended_at, former.erased_at) IS NOT NULL
                            AND coalesce(new.ended_at, new.erased_at) IS NULL) END)
                    AS decision (takes))
            RETURNING delivery_id
            """
        ).first?.decode("delivery_id")
    }

    /// A delivery's references at providers.
    ///
    /// - Parameter store: the only store that the caller may see; nil for all.
    static func references(
        of delivery: DeliveryID, within store: StoreID?, on database: some PostgresExecutor
    ) async throws -> [ProviderReferenceBody] {
        try await database.query(
            """
            SELECT provider_references.source_id, reference FROM provider_references
            LEFT JOIN deliveries ON deliveries.delivery_id = provider_references.delivery_id
            WHERE provider_references.delivery_id = \(delivery.rawValue)
                AND (\(store?.rawValue)::text IS NULL
                    OR coalesce(deliveries.store_id, provider_references.store_id) = \(store?.rawValue))
            ORDER BY set_at, provider_references.source_id, reference
            """
        ).compactMap { row in
            guard let source = SourceID(rawValue: try row.decode("source_id")) else { return nil }
            return ProviderReferenceBody(source: source, reference: try row.decode("reference"))
        }
    }

    /// Whether a source of this id had references for another store than this; nil for every store.
    static func hasReferences(
        of source: SourceID, notOf store: StoreID?, in transaction: PostgresTransaction
    ) async throws -> Bool {
        guard let store else { return false }
        return try await !transaction.query(
            """
            SELECT source_id FROM provider_references
            LEFT JOIN deliveries ON deliveries.delivery_id = provider_references.delivery_id
            WHERE source_id = \(source.rawValue)
                AND coalesce(provider_references.store_id, deliveries.store_id) <> \(store.rawValue) LIMIT 1
            """
        ).isEmpty
    }

    /// Deletes the references that a deleted source of this id had at another provider.
    static func deleteReferences(ofOthersThan source: Source, in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            """
            DELETE FROM provider_references
            WHERE source_id = \(source.id.rawValue) AND provider <> \(source.provider.rawValue)
            """)
    }

    /// Deletes what providers call deliveries that are no longer known.
    static func deleteReferences(setBefore: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.delete(
            from: "provider_references",
            where: """
                set_at < \(setBefore) AND NOT EXISTS (
                    SELECT FROM deliveries WHERE deliveries.delivery_id = provider_references.delivery_id)
                """,
            inBatchesOf: rowsMax)
    }
}
