import Foundation
import LiveActivity
import Messages
import PostgresClient

/// The ledger of pushes, and operators' overrides.
extension ActivityRepository {
    static func insertOverride(
        _ verb: String, of activity: ActivityID, device: DeviceID?, by subject: String, reason: String, at now: Date
    ) -> SQL {
        """
        INSERT INTO overrides (activity_id, device_id, verb, reason, operator, at)
        VALUES (\(activity), \(device), \(verb), \(reason), \(subject), \(now))
        """
    }

    /// A push in the ledger from its lease on.
    struct LeasedRow: Sendable {
        let push: Push
        let device: DeviceID
        /// Nil where it is yet to be sent.
        let result: PushResult?
        /// When its state became the wanted one.
        var wantedAt: Date?
        /// Why it was leased later than that.
        var delay: PushDelay?
    }

    /// Inserts pushes into the ledger, in one statement or in none.
    static func insert(_ rows: [LeasedRow]) -> [SQL] {
        guard !rows.isEmpty else { return [] }
        let pushes = rows.map(\.push)
        let revisions = pushes.map(\.wanted.content.revision)
        return [
            """
            INSERT INTO pushes (card_id, device_id, activity_id, event, priority, timestamp, version, step, alert_id,
                fence, leased_at, result, cause, apns_id, rendered, wanted_at, delayed_by)
            SELECT * FROM unnest(\(pushes.map(\.card)), \(rows.map(\.device.rawValue))::text[],
                \(pushes.map(\.activity.rawValue))::text[], \(pushes.map(\.event.rawValue))::text[],
                \(pushes.map(\.priority.rawValue)), \(pushes.map(\.timestamp)), \(revisions.map(\.version)),
                \(revisions.map(\.step)), \(PostgresNullableArray(pushes.map(\.alert?.id)))::text[],
                \(pushes.map(\.fencingToken)), \(PostgresNullableArray(pushes.map(\.leasedAt)))::timestamptz[],
                \(PostgresNullableArray(rows.map(\.result?.code)))::text[],
                \(PostgresNullableArray(rows.map(\.result?.cause)))::text[],
                \(PostgresNullableArray(rows.map(\.result?.id)))::uuid[],
                \(PostgresTextArray(pushes.map(\.ledgerText))),
                \(PostgresNullableArray(rows.map(\.wantedAt)))::timestamptz[],
                \(PostgresNullableArray(rows.map(\.delay?.rawValue)))::text[])
            """
        ]
    }

    /// Records that the bytes of a start may leave from now on.
    ///
    /// It changes no row where another process has withdrawn the start meanwhile.
    static func handOver(_ push: Push) -> SQL {
        """
        UPDATE cards SET in_flight = jsonb_set(in_flight, '{isHandedOver}', 'true')
        WHERE card_id = \(push.card) AND fence = \(push.fencingToken) AND in_flight IS NOT NULL
        """
    }

    static func setResult(_ result: PushResult, of push: Push) -> SQL {
        """
        UPDATE pushes SET result = \(result.code), cause = \(result.cause), apns_id = \(result.id)
        WHERE card_id = \(push.card) AND fence = \(push.fencingToken)
        """
    }
}

extension PushResult {
    /// The code that the ledger, metrics and HTTP use.
    var code: String {
        switch self {
        case .accepted: "taken"
        case .notSent: "not_sent"
        case .refused: "refused"
        case .unknown: "unknown"
        case .gone: "gone"
        case .halted: "halted"
        }
    }

    /// The reason of a refusal; nil where the push was accepted, or no reason is known.
    fileprivate var cause: String? {
        switch self {
        case .accepted: nil
        case .notSent(let cause), .unknown(let cause): String(cause.prefix(Self.causeCharactersMax))
        case .refused(let reason, _, _), .halted(let reason): String(reason.prefix(Self.causeCharactersMax))
        case .gone(_, _, let reason): reason
        }
    }

    /// The id under which Apple knows it; nil where it named none.
    fileprivate var id: UUID? {
        guard case .accepted(let id) = self else { return nil }
        return id
    }

    /// The longest stored text from other services.
    private static let causeCharactersMax = 200
}
