import Messages
import PostgresClient
import ReliableMessaging

/// This service's sections of a customer's archive: events to the shop's systems, and providers' reports.
enum ExportRecords {
    static func sources(on pool: PostgresPool) -> [ExportSource] {
        [
            ExportSource(.events, on: pool, rows: events), ExportSource(.reports, on: pool, rows: reports),
            ExportSource(.providerNames, on: pool, rows: providerNames),
        ]
    }

    /// Events with the hosts that they were sent to: the path of an address may be a secret.
    private static func events(_ request: ExportRequest) -> SQL {
        """
        SELECT event_id AS key, jsonb_build_object('delivery', delivery_id, 'event', event_id, 'type', type,
            'occurredAt', occurred_at, 'version', version, 'content', convert_from(body, 'UTF8')::jsonb,
            'sentTo', (
                SELECT jsonb_agg(jsonb_build_object('host', substring(url FROM '^https?://([^/:?#]+)'),
                    'state', state, 'attempts', attempts, 'queuedAt', queued_at) ORDER BY queued_at)
                FROM endpoints CROSS JOIN LATERAL (
                    SELECT state, attempts, created_at AS queued_at FROM event_deliveries
                    WHERE endpoint_id = endpoints.endpoint_id AND event_id = events.event_id AND NOT is_replay
                    UNION ALL
                    SELECT state, attempts, created_at FROM event_deliveries
                    WHERE endpoint_id = endpoints.endpoint_id AND event_id = events.event_id AND is_replay
                ) AS sent
                WHERE kind = 'webhook')) AS record
        FROM events WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
        """
    }

    /// Reports as the service has read them; a webhook's body only where each of its reports is of this delivery.
    private static func reports(_ request: ExportRequest) -> SQL {
        let isOthers: SQL = """
            EXISTS (SELECT FROM receipts AS other WHERE (other.body_of = whole.receipt_id
                    OR other.receipt_id = whole.receipt_id) AND other.delivery_id IS DISTINCT FROM own.delivery_id)
            """
        let isLong: SQL = "octet_length(whole.body) > \(ExportChunk.textBytesMax)"
        return """
            SELECT own.receipt_id::text AS key, jsonb_build_object('delivery', own.delivery_id,
                'provider', sources.provider, 'source', own.source_id, 'kind', own.kind, 'state', own.state,
                'receivedAt', own.received_at, 'status', own.report->>'status', 'reason', own.report->>'reason',
                'body', CASE WHEN NOT (\(sql: isOthers)) AND NOT (\(sql: isLong))
                    THEN convert_from(whole.body, 'UTF8') END,
                'bodyLeftOut', CASE WHEN whole.body IS NULL THEN NULL
                    WHEN \(sql: isOthers) THEN 'it reports other deliveries too'
                    WHEN \(sql: isLong) THEN 'it is longer than 64 KB' END) AS record
            FROM receipts AS own JOIN receipts AS whole ON whole.receipt_id = coalesce(own.body_of, own.receipt_id)
                LEFT JOIN sources ON sources.source_id = own.source_id
            WHERE own.delivery_id = ANY(\(request.deliveryIDs)::text[])
            """
    }

    /// The providers' own names of the deliveries; one that two stores claim is of neither.
    private static func providerNames(_ request: ExportRequest) -> SQL {
        """
        SELECT source_id || '/' || reference AS key, jsonb_build_object('delivery', delivery_id,
            'provider', sources.provider, 'source', source_id, 'name', reference, 'setAt', set_at) AS record
        FROM provider_references JOIN sources USING (source_id)
        WHERE delivery_id = ANY(\(request.deliveryIDs)::text[]) AND NOT is_contested
        """
    }
}
