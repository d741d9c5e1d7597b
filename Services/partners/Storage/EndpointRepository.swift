import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// The SQL of endpoints and their secrets.
enum EndpointRepository {
    private static let columns: SQL = """
        endpoint_id, kind, url, types, store_id, description, signature, counts_from, failing_since, failed_at, failures, paused_until,
        disabled, created_at
        """

    // MARK: Reading

    /// Events of one endpoint that are counted; it may have more.
    static let waitingCountMax = 100_000

    /// The webhooks' endpoints, oldest first.
    ///
    /// - Parameter store: the only store of the endpoints; nil for all.
    static func endpoints(of store: StoreID?, on database: some PostgresExecutor) async throws -> [Endpoint] {
        try await database.query(
            """
            SELECT \(sql: columns) FROM endpoints
            WHERE kind = 'webhook' AND removed_at IS NULL
                AND (\(store?.rawValue)::text IS NULL OR store_id = \(store?.rawValue))
            ORDER BY created_at, endpoint_id
            """
        ).compactMap(endpoint)
    }

    static func endpoint(_ id: EndpointID, on database: some PostgresExecutor) async throws -> Endpoint? {
        try await database.query(
            "SELECT \(sql: columns) FROM endpoints WHERE endpoint_id = \(id.rawValue) AND removed_at IS NULL"
        ).first.flatMap(endpoint)
    }

    /// The endpoints, locked in the order of their ids until the transaction ends.
    static func lock(_ ids: [EndpointID], in transaction: PostgresTransaction) async throws -> [EndpointID: Endpoint] {
        let found = try await transaction.query(
            """
            SELECT \(sql: columns) FROM endpoints WHERE endpoint_id = ANY(\(ids.map(\.rawValue))::text[]) AND removed_at IS NULL
            ORDER BY endpoint_id FOR NO KEY UPDATE
            """
        ).compactMap(endpoint)
        return Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0) })
    }

    /// Every endpoint's subscription, listeners included.
    ///
    /// - Parameter openOnly: whether listeners are left out whose streams are closed, and may be continued yet.
    static func subscriptions(
        openOnly: Bool = false, on database: some PostgresExecutor
    ) async throws -> [Subscription] {
        try await database.query(
            """
            SELECT endpoint_id, store_id, types, created_at FROM endpoints
            WHERE removed_at IS NULL AND (kind = 'webhook' OR NOT \(openOnly) OR open_until > clock_timestamp())
            ORDER BY endpoint_id
            """
        ).compactMap { row in
            guard let id = EndpointID(rawValue: try row.decode("endpoint_id")) else { return nil }
            return Subscription(
                endpoint: id, store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init),
                types: try row.decode("types"), createdAt: try row.decode("created_at"))
        }
    }

    /// The endpoints of webhooks that may receive events now; disabled endpoints may receive replays only.
    ///
    /// A pause whose failure was noted before the clock was set back is over, as ``EndpointHealth`` has it.
    static func sendable(at now: Date, on database: some PostgresExecutor) async throws -> [Endpoint] {
        try await database.query(
            """
            SELECT \(sql: columns) FROM endpoints
            WHERE kind = 'webhook' AND removed_at IS NULL AND (paused_until IS NULL OR paused_until <= \(now)
                OR failed_at > \(now.addingTimeInterval(DomainClock.replicaDifferenceMax)))
            ORDER BY endpoint_id
            """
        ).compactMap(endpoint)
    }

    /// The number of waiting events of each endpoint, up to the count's bound.
    static func waiting(of ids: [EndpointID], on database: some PostgresExecutor) async throws -> [EndpointID: Int] {
        try await database.query(
            """
            SELECT id AS endpoint_id, (SELECT count(*) FROM (SELECT FROM event_deliveries
                WHERE event_deliveries.endpoint_id = id AND state = 'waiting' LIMIT \(waitingCountMax)) AS counted) AS count
            FROM unnest(\(ids.map(\.rawValue))::text[]) AS id
            """
        ).reduce(into: [:]) { counts, row in
            guard let id = EndpointID(rawValue: try row.decode("endpoint_id")) else { return }
            counts[id] = try row.decode("count")
        }
    }

    private static func endpoint(_ row: PostgresRow) throws -> Endpoint? {
        guard let id = EndpointID(rawValue: try row.decode("endpoint_id")),
            let kind = Endpoint.Kind(rawValue: try row.decode("kind")),
            let signature = NewEndpointBody.SignatureVersion(rawValue: try row.decode("signature"))
        else { return nil }
        return Endpoint(
            id: id, kind: kind, url: try row.decode("url"),
            types: try row.decode("types", as: [String].self).compactMap(WebhookEventType.init(rawValue:)),
            store: try row.decode("store_id", as: String?.self).flatMap(StoreID.init),
            description: try row.decode("description"), signature: signature,
            health: EndpointHealth(
                countsFrom: try row.decode("counts_from"), failingSince: try row.decode("failing_since"),
                failedAt: try row.decode("failed_at"), failures: try row.decode("failures"),
                pausedUntil: try row.decode("paused_until"),
                disabled: try row.decode("disabled", as: String?.self)
                    .flatMap(EndpointHealth.DisabledReason.init)),
            createdAt: try row.decode("created_at"))
    }

    // MARK: Writing

    /// - Parameter stream: the stream that reads a listener's queue; nil for a webhook.
    static func insert(
        _ endpoint: Endpoint, stream: UUID? = nil, on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO endpoints (endpoint_id, kind, url, types, store_id, description, signature, created_at, stream_id)
            VALUES (\(endpoint.id.rawValue), \(endpoint.kind.rawValue), \(endpoint.url),
                \(endpoint.types.map(\.rawValue))::text[], \(endpoint.store?.rawValue), \(endpoint.description),
                \(endpoint.signature.rawValue), \(endpoint.createdAt), \(stream))
            """)
    }

    /// - Parameter types: nil for the present types, some of which this version may not know.
    static func updateSettings(_ endpoint: Endpoint, types: [WebhookEventType]?) -> SQL {
        """
        UPDATE endpoints SET url = \(endpoint.url), description = \(endpoint.description),
            types = CASE WHEN \(types == nil) THEN types ELSE \((types ?? []).map(\.rawValue))::text[] END
        WHERE endpoint_id = \(endpoint.id.rawValue)
        """
    }

    static func updateHealth(_ endpoint: Endpoint) -> SQL {
        let health = endpoint.health
        return """
            UPDATE endpoints SET counts_from = \(health.countsFrom), failing_since = \(health.failingSince),
                failed_at = \(health.failedAt), failures = \(health.failures),
                paused_until = \(health.pausedUntil), disabled = \(health.disabled?.rawValue)
            WHERE endpoint_id = \(endpoint.id.rawValue)
            """
    }

    /// Marks an endpoint as removed and deletes its secrets; retention deletes its other rows, since they may be many.
    static func remove(_ id: EndpointID, at now: Date, on database: some PostgresExecutor) async throws {
        try await database.batch([
            "UPDATE endpoints SET removed_at = \(now) WHERE endpoint_id = \(id.rawValue)",
            "DELETE FROM endpoint_secrets WHERE endpoint_id = \(id.rawValue)",
        ])
    }

    /// Locks out other additions until the transaction ends, and counts the endpoints of a store, or of all.
    static func lockCount(of store: StoreID?, in transaction: PostgresTransaction) async throws -> Int {
        try await transaction.batch([
            "SELECT pg_advisory_xact_lock(hashtextextended('endpoints', 0))",
            """
            SELECT count(*) AS count FROM endpoints
            WHERE kind = 'webhook' AND removed_at IS NULL AND store_id IS NOT DISTINCT FROM \(store?.rawValue)
            """,
        ])[1].rows[0].decode("count")
    }

    // MARK: Secrets

    /// A secret of an endpoint, encrypted.
    struct SealedSecret: Hashable, Sendable {
        let id: UUID
        let sealed: [UInt8]
        let expiresAt: Date?
    }

    /// The most secrets of an endpoint: the present one and those that it replaced within a day.
    static let secretsMax = 4

    /// Adds the present secret; the former one signs until `formerUntil`, and older ones as long as they would have.
    ///
    /// So a rotation that is repeated after a lost answer leaves the receiver the only secret that it has.
    static func insertSecret(
        _ sealed: [UInt8], id: UUID, of endpoint: EndpointID, at now: Date, formerUntil: Date,
        in transaction: PostgresTransaction
    ) async throws {
        try await transaction.batch([
            """
            UPDATE endpoint_secrets SET expires_at = \(formerUntil)
            WHERE endpoint_id = \(endpoint.rawValue) AND expires_at IS NULL
            """,
            """
            DELETE FROM endpoint_secrets WHERE endpoint_id = \(endpoint.rawValue)
                AND (expires_at <= \(now) OR endpoint_secret_id NOT IN (
                    SELECT endpoint_secret_id FROM endpoint_secrets WHERE endpoint_id = \(endpoint.rawValue)
                    ORDER BY expires_at DESC LIMIT \(secretsMax - 1)))
            """,
            """
            INSERT INTO endpoint_secrets (endpoint_secret_id, endpoint_id, sealed, created_at)
            VALUES (\(id), \(endpoint.rawValue), \(sealed), \(now))
            """,
        ])
    }

    /// The secrets that sign at a time, the present one first.
    static func secrets(
        of ids: [EndpointID], at now: Date, on database: some PostgresExecutor
    ) async throws -> [EndpointID: [SealedSecret]] {
        try await database.query(
            """
            SELECT endpoint_id, endpoint_secret_id, sealed, expires_at FROM endpoint_secrets
            WHERE endpoint_id = ANY(\(ids.map(\.rawValue))::text[]) AND (expires_at IS NULL OR expires_at > \(now))
            ORDER BY expires_at DESC NULLS FIRST
            """
        ).reduce(into: [:]) { secrets, row in
            guard let id = EndpointID(rawValue: try row.decode("endpoint_id")) else { return }
            secrets[id, default: []].append(
                SealedSecret(
                    id: try row.decode("endpoint_secret_id"), sealed: try row.decode("sealed"),
                    expiresAt: try row.decode("expires_at")))
        }
    }

    /// Replaces the encrypted form of a secret.
    static func reseal(_ id: UUID, as sealed: [UInt8], in transaction: PostgresTransaction) async throws {
        try await transaction.execute(
            "UPDATE endpoint_secrets SET sealed = \(sealed) WHERE endpoint_secret_id = \(id)")
    }
}
