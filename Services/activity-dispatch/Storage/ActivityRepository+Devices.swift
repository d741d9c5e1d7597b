import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient

/// A device with the newest event id of its stream.
struct StoredDevice: Sendable {
    var device: Device
    /// Rises with each event of the device's stream; also the stream's `Last-Event-ID`.
    var lastEventID: Int
    /// The hash of the device's secret; nil for a device without one.
    var secretHash: [UInt8]?
}

extension StoredDevice {
    init(_ row: PostgresRow) throws {
        var device = Device(
            id: try row.decode("device_id"), customer: try row.decode("customer_id"),
            store: try row.decode("store_id"),
            transport: try row.decode("transport"), locale: try row.decode("locale"),
            timeZone: try row.decode("time_zone"), isEnabled: try row.decode("is_enabled"),
            allowsFrequentPushes: try row.decode("allows_frequent_pushes"), appVersion: try row.decode("app_version"),
            pushToStartToken: try row.decodeToken("push_to_start_token"), registeredAt: try row.decode("registered_at"),
            starts: TokenBucket(
                tokens: try row.decode("start_tokens"), countedAt: try row.decode("start_tokens_at")))
        device.startFailure = try row.decodeJSONIfPresent("start_failure", as: Device.StartFailure.self)
        device.reportedPermission = try row.decode("permission", as: String?.self)
            .flatMap(ActivitiesPermission.init(rawValue:))
        device.osVersion = try row.decode("os_version", as: String?.self).flatMap { OSVersion($0) }
        if let tokens = try row.decode("urgent_tokens", as: Double?.self) {
            device.urgentPushes = TokenBucket(tokens: tokens, countedAt: try row.decode("urgent_tokens_at"))
        }
        device.startFailures = Failures(
            count: try row.decode("start_attempts"), reason: try row.decode("start_failed_for"),
            retryAt: try row.decode("start_retry_at"))
        // A bundle id that this version refuses counts as unknown, and the device's pushes get the default topic.
        device.bundleID = try row.decode("bundle_id", as: String?.self).flatMap { try? BundleID($0) }
        self.init(
            device: device, lastEventID: try row.decode("last_sequence"), secretHash: try row.decode("secret_hash"))
    }
}

extension ActivityRepository {
    static func device(_ id: DeviceID, on executor: some PostgresExecutor) async throws -> StoredDevice? {
        try await executor.query("SELECT * FROM devices WHERE device_id = \(id)").first.map(StoredDevice.init)
    }

    static func lockDevice(_ id: DeviceID, in transaction: PostgresTransaction) async throws -> StoredDevice? {
        try await transaction.query("SELECT * FROM devices WHERE device_id = \(id) FOR NO KEY UPDATE")
            .first.map(StoredDevice.init)
    }

    /// Locks a device, and the others that have a start token, in the order of ids.
    ///
    /// Two devices that upload one token at the same moment see nothing of each other: where neither had it, both keep
    /// it until the next upload of either.
    ///
    /// - Parameter startToken: as it was uploaded for the device; nil without one.
    static func lockDevices(
        _ id: DeviceID, with startToken: PushToken?, in transaction: PostgresTransaction
    ) async throws -> [StoredDevice] {
        guard let startToken else { return try await [lockDevice(id, in: transaction)].compactMap(\.self) }
        return try await transaction.query(
            """
            SELECT * FROM devices WHERE device_id = \(id) OR push_to_start_token = \(startToken.value)
            ORDER BY device_id FOR NO KEY UPDATE
            """
        ).map(StoredDevice.init)
    }

    /// Forgets the start tokens of devices: their phone is another device's by now.
    static func forgetStartTokens(of devices: [DeviceID]) -> SQL {
        """
        UPDATE devices SET push_to_start_token = NULL, push_to_start_token_origin = NULL
        WHERE device_id = ANY(\(devices.map(\.rawValue)))
        """
    }

    /// The number of a customer's devices whose tokens are of this store, or of none; the caller holds the customer's
    /// lock.
    static func countDevices(
        of customer: CustomerID, in store: StoreID?, on transaction: PostgresTransaction
    ) async throws -> Int {
        try await transaction.query(
            """
            SELECT count(*) AS count FROM devices
            WHERE customer_id = \(customer) AND store_id IS NOT DISTINCT FROM \(store)
            """
        ).first?.decode("count") ?? 0
    }

    /// The longest-due devices among which customers alternate.
    private static let dueDevicesMax = 256

    /// Locks devices that are due, skipping those that are locked already.
    ///
    /// Customers alternate: each one's longest-due device, then each one's next.
    static func lockDueDevices(
        by now: Date, devicesMax: Int, in transaction: PostgresTransaction
    ) async throws -> [StoredDevice] {
        try await transaction.query(
            """
            WITH oldest AS MATERIALIZED (
                SELECT device_id, customer_id, due_at FROM devices WHERE due_at <= \(now)
                ORDER BY due_at LIMIT \(dueDevicesMax)),
            turns AS MATERIALIZED (
                SELECT device_id, due_at AS since,
                    row_number() OVER (PARTITION BY customer_id ORDER BY due_at, device_id) AS turn FROM oldest)
            SELECT devices.* FROM turns JOIN devices USING (device_id) WHERE devices.due_at <= \(now)
            ORDER BY turn, since LIMIT \(devicesMax) FOR NO KEY UPDATE OF devices SKIP LOCKED
            """
        ).map(StoredDevice.init)
    }

    /// The due devices by id alone, unlocked: an undecodable device still has its id.
    static func dueDevices(
        by now: Date, devicesMax: Int, on executor: some PostgresExecutor
    ) async throws -> [DeviceID] {
        try await executor.query(
            """
            SELECT device_id FROM devices WHERE due_at <= \(now) ORDER BY due_at LIMIT \(devicesMax)
            FOR NO KEY UPDATE SKIP LOCKED
            """
        ).map { try $0.decode("device_id") }
    }

    /// Locks one device, if it is still due and not locked.
    static func lockDueDevice(
        _ id: DeviceID, by now: Date, in transaction: PostgresTransaction
    ) async throws -> [StoredDevice] {
        try await transaction.query(
            "SELECT * FROM devices WHERE device_id = \(id) AND due_at <= \(now) FOR NO KEY UPDATE SKIP LOCKED"
        ).map(StoredDevice.init)
    }

    /// Makes a device that is due by `now` due later instead.
    static func postpone(_ id: DeviceID, from now: Date, to later: Date) -> SQL {
        "UPDATE devices SET due_at = \(later) WHERE device_id = \(id) AND due_at <= \(now)"
    }

    /// When the next device is due; nil when none is.
    static func nextDue(on executor: some PostgresExecutor) async throws -> Date? {
        try await executor.query("SELECT min(due_at) AS due_at FROM devices WHERE due_at IS NOT NULL")
            .first?.decode("due_at")
    }

    /// Locks the devices that have had a card of an activity.
    static func lockDevices(
        showing activity: ActivityID, in transaction: PostgresTransaction
    ) async throws -> [DeviceID] {
        try await transaction.query(
            """
            SELECT device_id FROM devices WHERE device_id IN (SELECT device_id FROM cards WHERE activity_id = \(activity))
            ORDER BY device_id FOR NO KEY UPDATE
            """
        ).map { try $0.decode("device_id") }
    }

    /// Devices that may show activities, locked.
    struct ShowingDevices {
        let devices: [StoredDevice]
        /// Every card of the activities, closed ones included, oldest first.
        let cards: [StoredCard]
        /// The open cards of the devices, where they were asked for.
        let openCards: [DeviceID: [OpenCard]]
    }

    /// Locks customers' devices, and other devices that have had a card of one of the activities.
    ///
    /// - Parameter known: stored activities, for a caller that needs the open cards.
    static func lockDevices(
        of customers: [CustomerID], showing activities: [ActivityID], withOpenCardsOf known: [Activity]?,
        in transaction: PostgresTransaction
    ) async throws -> ShowingDevices {
        let ids = activities.map(\.rawValue)
        let devices: SQL = """
            SELECT device_id FROM devices WHERE customer_id = ANY(\(customers.map(\.rawValue)))
            UNION SELECT device_id FROM cards WHERE activity_id = ANY(\(ids))
            """
        let lock: SQL = """
            SELECT * FROM devices WHERE device_id IN (\(sql: devices)) ORDER BY device_id FOR NO KEY UPDATE
            """
        let cards: SQL = "SELECT * FROM cards WHERE activity_id = ANY(\(ids))"
        guard let known else {
            let results = try await transaction.batch([lock, cards + " ORDER BY number"])
            return ShowingDevices(
                devices: try results[0].rows.map(StoredDevice.init),
                cards: try results[1].rows.map { try StoredCard($0) },
                openCards: [:])
        }
        let results = try await transaction.batch([lock, cards + " AND NOT \(sql: reconciled)", openCards(on: devices)])
        let open = try openCards(results[2].rows, known: known)
        let openOnes = open.values.joined().map(\.stored).filter { activities.contains($0.card.activity) }
        return ShowingDevices(
            devices: try results[0].rows.map(StoredDevice.init),
            cards: try (results[1].rows.map { try StoredCard($0) } + openOnes).sorted { $0.number < $1.number },
            openCards: open)
    }

    /// Makes devices due at once.
    static func makeDue(_ devices: [DeviceID], at now: Date) -> SQL {
        """
        UPDATE devices SET due_at = least(due_at, \(now)) WHERE device_id = ANY(\(devices.map(\.rawValue)))
        """
    }

    /// A device after a reconciliation.
    struct ReconciledDevice: Sendable {
        let stored: StoredDevice
        /// The device as it was read.
        let former: Device
        let dueAt: Date?
    }

    /// Writes devices' next due times, newest event ids, and other changes.
    static func save(_ devices: [ReconciledDevice]) -> [SQL] {
        let unchanged = devices.filter { $0.stored.device == $0.former }
        let others = devices.filter { $0.stored.device != $0.former }
        return (unchanged.isEmpty ? [] : [setDue(unchanged)])
            + others.map { setDue($0.stored, former: $0.former, at: $0.dueAt) }
    }

    private static func setDue(_ devices: [ReconciledDevice]) -> SQL {
        """
        UPDATE devices SET due_at = new.due_at, last_sequence = new.last_sequence
        FROM unnest(\(devices.map(\.stored.device.id.rawValue))::text[],
            \(PostgresNullableArray(devices.map(\.dueAt)))::timestamptz[], \(devices.map(\.stored.lastEventID)))
            AS new (device_id, due_at, last_sequence)
        WHERE devices.device_id = new.device_id
        """
    }

    /// Writes a device's next due time, newest event id, and other changes.
    ///
    /// - Parameter former: the device as it was read.
    private static func setDue(_ stored: StoredDevice, former: Device, at dueAt: Date?) -> SQL {
        let device = stored.device
        var sql: SQL = "UPDATE devices SET due_at = \(dueAt), last_sequence = \(stored.lastEventID)"
        if device.starts != former.starts {
            sql += ", start_tokens = \(device.starts.tokens), start_tokens_at = \(device.starts.countedAt)"
        }
        if device.pushToStartToken != former.pushToStartToken {
            sql += """
                , push_to_start_token = \(device.pushToStartToken?.value),
                push_to_start_token_origin = \(sql: json(device.pushToStartToken))
                """
        }
        if device.startFailures != former.startFailures {
            sql += """
                , start_attempts = \(device.startFailures.count), start_failed_for = \(device.startFailures.reason),
                start_retry_at = \(device.startFailures.retryAt)
                """
        }
        if device.startFailure != former.startFailure { sql += ", start_failure = \(sql: json(device.startFailure))" }
        if device.urgentPushes != former.urgentPushes {
            sql += """
                , urgent_tokens = \(device.urgentPushes?.tokens), urgent_tokens_at = \(device.urgentPushes?.countedAt)
                """
        }
        return sql + " WHERE device_id = \(device.id)"
    }

    /// Subtracts the device's priority-10 pushes of the last hour from a full budget of this size.
    static func recountUrgentPushes(of id: DeviceID, _ size: TokenBucket.Size, at now: Date) -> SQL {
        """
        UPDATE devices SET urgent_tokens_at = \(now), urgent_tokens = greatest(0, \(size.capacity) - (
            SELECT count(*) FROM pushes
            WHERE activity_id IN (SELECT activity_id FROM cards WHERE device_id = \(id)) AND device_id = \(id)
                AND event <> 'start' AND priority = 10 AND leased_at > \(now.addingTimeInterval(-3_600))))
        WHERE device_id = \(id)
        """
    }

    /// Writes what the app reported of its device, and when.
    ///
    /// - Parameter isDue: whether to make the device due at once.
    static func saveReported(_ device: Device, isDue: Bool, at now: Date) -> SQL {
        """
        UPDATE devices SET reported_at = \(now), is_enabled = \(device.isEnabled),
            start_failure = \(sql: json(device.startFailure)),
            due_at = CASE WHEN \(isDue) THEN least(due_at, \(now)) ELSE due_at END
        WHERE device_id = \(device.id)
        """
    }

    static func save(_ device: Device, secretHash: [UInt8]?) -> SQL {
        """
        INSERT INTO devices (device_id, customer_id, store_id, transport, locale, time_zone, is_enabled,
            allows_frequent_pushes, app_version, push_to_start_token, registered_at, start_tokens, start_tokens_at,
            secret_hash, push_to_start_token_origin, start_attempts, start_failed_for, start_retry_at, os_version,
            bundle_id, permission)
        VALUES (\(device.id), \(device.customer), \(device.store), \(device.transport), \(device.locale),
            \(device.timeZone), \(device.isEnabled), \(device.allowsFrequentPushes), \(device.appVersion), \(device.pushToStartToken?.value),
            \(device.registeredAt), \(device.starts.tokens), \(device.starts.countedAt), \(secretHash),
            \(sql: json(device.pushToStartToken)), \(device.startFailures.count), \(device.startFailures.reason), \(device.startFailures.retryAt),
            \(device.osVersion?.description), \(device.bundleID?.text),
            \(device.reportedPermission?.rawValue))
        ON CONFLICT (device_id) DO UPDATE SET customer_id = excluded.customer_id,
            store_id = excluded.store_id, transport = excluded.transport,
            locale = excluded.locale, time_zone = excluded.time_zone, is_enabled = excluded.is_enabled,
            allows_frequent_pushes = excluded.allows_frequent_pushes, app_version = excluded.app_version,
            push_to_start_token = excluded.push_to_start_token, registered_at = excluded.registered_at,
            secret_hash = excluded.secret_hash, start_failure = NULL,
            push_to_start_token_origin = excluded.push_to_start_token_origin,
            start_attempts = excluded.start_attempts, start_failed_for = excluded.start_failed_for,
            start_retry_at = excluded.start_retry_at, os_version = excluded.os_version,
            bundle_id = excluded.bundle_id, permission = excluded.permission
        """
    }
}
