import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// This service's sections of a customer's archive: devices, and what they showed.
enum ExportRecords {
    static func sources(on pool: PostgresPool) -> [ExportSource] {
        [
            ExportSource(.devices, on: pool, rows: devices), ExportSource(.cards, on: pool, rows: cards),
            ExportSource(.pushes, on: pool, rows: pushes), ExportSource(.alerts, on: pool, rows: alerts),
            ExportSource(.overrides, on: pool, rows: overrides),
        ]
    }

    /// The activities of a part's deliveries, and at its end the customer's summaries, which are of no one store.
    private static func activities(_ request: ExportRequest) -> [String] {
        let own = request.deliveries.flatMap { part in
            (1...part.episode).map { ActivityID(part.delivery, episode: $0).rawValue }
        }
        guard request.isLast, request.store == nil, let customer = request.customer else { return own }
        return own + ErasureRepository.summaries(of: customer)
    }

    /// The customer's devices, at the end; a store's are those with a card of one of its deliveries.
    private static func devices(_ request: ExportRequest) -> SQL? {
        guard request.isLast, let customer = request.customer else { return nil }
        var condition: SQL = "devices.customer_id = \(customer)"
        if let store = request.store {
            condition += """
                 AND EXISTS (SELECT FROM cards JOIN activities USING (activity_id)
                    WHERE cards.device_id = devices.device_id AND activities.customer_id = \(customer)
                        AND activities.store_id = \(store))
                """
        }
        return """
            SELECT device_id AS key, jsonb_build_object('device', device_id, 'transport', transport,
                'appVersion', app_version, 'osVersion', os_version, 'app', bundle_id, 'language', locale,
                'timeZone', time_zone, 'allowsCards', is_enabled, 'permission', permission,
                'allowsFrequentUpdates', allows_frequent_pushes, 'registeredAt', registered_at,
                'reportedAt', reported_at, 'connectedAt', seen_at) AS record
            FROM devices LEFT JOIN device_connections USING (device_id) WHERE \(sql: condition)
            """
    }

    private static func cards(_ request: ExportRequest) -> SQL {
        """
        SELECT card_id::text AS key, jsonb_build_object('card', card_id, 'activity', activity_id,
            'delivery', delivery_id, 'device', device_id, 'state', state, 'startedAt', started_at,
            'dismissedAt', dismissed_at, 'scheduledAt', scheduled_at, 'reason', reason) AS record
        FROM cards JOIN activities USING (activity_id)
        WHERE activity_id = ANY(\(activities(request))::text[])
        """
    }

    /// The ledger, without Apple's ids and the service's own marks; its contents have no links.
    private static func pushes(_ request: ExportRequest) -> SQL {
        """
        SELECT lpad(push_id::text, 20, '0') AS key, jsonb_build_object('activity', activity_id, 'device', device_id,
            'card', card_id, 'sentAt', leased_at, 'event', event, 'priority', priority, 'version', version,
            'step', step, 'alert', alert_id, 'result', result, 'cause', cause, 'seenAt', seen_at,
            'content', CASE WHEN octet_length(rendered) <= \(ExportChunk.textBytesMax) THEN rendered::jsonb END
        ) AS record
        FROM pushes WHERE activity_id = ANY(\(activities(request))::text[])
        """
    }

    /// Browsers that are notified: the push service's host without the path, which is a credential.
    private static func alerts(_ request: ExportRequest) -> SQL {
        """
        SELECT delivery_id || '/' || md5(endpoint) AS key, jsonb_build_object('delivery', delivery_id,
            'pushService', substring(endpoint FROM '^https?://([^/:?#]+)'), 'language', locale, 'isOn', is_on,
            'subscribedAt', subscribed_at, 'alerts', alerted_ids) AS record
        FROM alert_subscriptions WHERE delivery_id = ANY(\(request.deliveryIDs)::text[])
        """
    }

    /// Changes of cards by operators, without their names.
    private static func overrides(_ request: ExportRequest) -> SQL {
        """
        SELECT lpad(override_id::text, 20, '0') AS key, jsonb_build_object('activity', activity_id,
            'device', device_id, 'changedAt', at, 'change', verb) AS record
        FROM overrides WHERE activity_id = ANY(\(activities(request))::text[])
        """
    }
}
