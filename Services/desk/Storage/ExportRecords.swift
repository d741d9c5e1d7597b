import Messages
import PostgresClient
import ReliableMessaging

/// The desk's section of a customer's archive: notes about their deliveries, without the operators' names.
enum ExportRecords {
    static func source(on pool: PostgresPool) -> ExportSource {
        ExportSource(.notes, on: pool) { request in
            """
            SELECT delivery_id AS key, jsonb_build_object('delivery', delivery_id, 'note', nullif(note, ''),
                'snoozedUntilAt', snoozed_until, 'changedAt', changed_at) AS record
            FROM triage WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
            """
        }
    }
}
