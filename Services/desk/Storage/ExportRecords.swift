import Messages
import PostgresClient
import ReliableMessaging

/// The desk's section of a customer's archive: that operators had notes about their deliveries, without text or names.
///
/// A note is for operators, who may name other persons in it. A store has none of them.
enum ExportRecords {
    static func source(on pool: PostgresPool) -> ExportSource {
        ExportSource(.notes, on: pool) { request in
            guard request.store == nil else { return nil }
            return """
                SELECT delivery_id AS key, jsonb_build_object('delivery', delivery_id,
                    'snoozedUntilAt', snoozed_until, 'changedAt', changed_at) AS record
                FROM triage WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
                """
        }
    }
}
