import Messages
import OrderDomain
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
    ///
    /// Their contents are not in it: deliveries and timelines have what the customer may see of them. A store sees the
    /// hosts that were set for it alone.
    private static func events(_ request: ExportRequest) -> SQL {
        """
        SELECT event_id AS key, jsonb_build_object('delivery', delivery_id, 'event', event_id, 'type', type,
            'occurredAt', occurred_at, 'version', version,
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
                WHERE kind = 'webhook' AND (\(request.store?.rawValue)::text IS NULL
                    OR endpoints.store_id = \(request.store?.rawValue)))) AS record
        FROM events WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
        """
    }

    /// Reports by what they report and when, without their webhooks: those name couriers, their phones and positions.
    private static func reports(_ request: ExportRequest) -> SQL {
        """
        SELECT receipt_id::text AS key, jsonb_build_object('delivery', delivery_id, 'provider', sources.provider,
            'source', source_id, 'kind', receipts.kind, 'state', receipts.state, 'receivedAt', received_at,
            'status', report->>'status') AS record
        FROM receipts LEFT JOIN sources USING (source_id)
        WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
        """
    }

    /// The providers' own names of the deliveries; one that two stores claim is of neither.
    private static func providerNames(_ request: ExportRequest) -> SQL {
        """
        SELECT source_id || '/' || reference AS key, jsonb_build_object('delivery', delivery_id,
            'provider', coalesce(sources.provider, provider_references.provider), 'source', source_id,
            'name', reference, 'setAt', set_at) AS record
        FROM provider_references LEFT JOIN sources USING (source_id)
        WHERE delivery_id = ANY(\(request.deliveryIDs)::text[]) AND NOT is_contested
        """
    }
}
