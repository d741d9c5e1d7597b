import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

extension PhoneID: PostgresBindable, PostgresDecodable {}

/// The SQL of phones and of couriers' duty.
enum PhoneRepository {
    private static let columns: SQL =
        "phone_id, courier_id, app, label, enrolled_at, enrolled_by, revoked_at, revoked_by, last_seen_at, "
        + "malformed, malformed_at"

    // MARK: Phones

    static func insert(_ phone: Phone, tokenHash: [UInt8], on database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            INSERT INTO phones (phone_id, courier_id, app, label, token_hash, enrolled_at, enrolled_by)
            VALUES (\(phone.id), \(phone.courier), \(phone.app?.rawValue), \(phone.label), \(tokenHash),
                \(phone.enrolledAt), \(phone.enrolledBy))
            """)
    }

    /// A courier's phones, newest first, revoked ones too.
    static func phones(of courier: CourierID, on database: some PostgresExecutor) async throws -> [Phone] {
        try await database.query(
            "SELECT \(sql: columns) FROM phones WHERE courier_id = \(courier) ORDER BY phone_id DESC"
        ).map(phone)
    }

    /// The number of a courier's phones that may send.
    static func count(of courier: CourierID, on database: some PostgresExecutor) async throws -> Int {
        try await database.query(
            "SELECT count(*) AS phones FROM phones WHERE courier_id = \(courier) AND revoked_at IS NULL")[0]
            .decode("phones")
    }

    /// Locks out other enrolments of the courier until the transaction ends, and counts the phones that may send.
    static func lockCount(of courier: CourierID, in transaction: PostgresTransaction) async throws -> Int {
        try await transaction.execute("SELECT pg_advisory_xact_lock(hashtextextended(\(courier.rawValue), 3))")
        return try await count(of: courier, on: transaction)
    }

    /// The phone with this token, revoked or not.
    static func phone(withTokenHash hash: [UInt8], on database: some PostgresExecutor) async throws -> Phone? {
        try await database.query("SELECT \(sql: columns) FROM phones WHERE token_hash = \(hash)").first.map(phone)
    }

    /// Revokes a phone; a repeat keeps the first time and subject.
    ///
    /// - Returns: nil when the courier has no such phone.
    static func revoke(
        _ id: PhoneID, of courier: CourierID, at now: Date, by subject: String, on database: some PostgresExecutor
    ) async throws -> Phone? {
        try await database.query(
            """
            UPDATE phones SET revoked_at = coalesce(revoked_at, \(now)), revoked_by = coalesce(revoked_by, \(subject))
            WHERE phone_id = \(id) AND courier_id = \(courier) RETURNING \(sql: columns)
            """
        ).first.map(phone)
    }

    /// Revokes the courier's phones of before a request; a repeat keeps the first time.
    ///
    /// - Returns: all of them, with the time.
    static func revoke(
        of courier: CourierID, enrolledUntil: Date, at now: Date, on database: some PostgresExecutor
    ) async throws -> [(phone: PhoneID, at: Date)] {
        try await database.query(
            """
            UPDATE phones SET revoked_at = coalesce(revoked_at, \(now)),
                revoked_by = coalesce(revoked_by, \(CourierErasureRepository.erasure))
            WHERE courier_id = \(courier) AND enrolled_at <= \(enrolledUntil) RETURNING phone_id, revoked_at
            """
        ).map { (try $0.decode("phone_id"), try $0.decode("revoked_at")) }
    }

    /// The phones revoked since `date`.
    static func revoked(since date: Date, on database: some PostgresExecutor) async throws -> [PhoneID] {
        try await database.query("SELECT phone_id FROM phones WHERE revoked_at >= \(date)")
            .map { try $0.decode("phone_id") }
    }

    /// - Parameter batches: of phones whose heartbeat is due.
    static func recordingHeartbeat(of batches: [FixBatch], at now: Date) -> SQL {
        """
        UPDATE phones SET last_seen_at = \(now), malformed = phones.malformed + seen.malformed,
            malformed_at = CASE WHEN seen.malformed > 0 THEN \(now) ELSE phones.malformed_at END
        FROM unnest(\(batches.map(\.phone.rawValue))::text[], \(batches.map(\.malformed))::bigint[])
            AS seen (phone_id, malformed)
        WHERE phones.phone_id = seen.phone_id
        """
    }

    static func deletePhones(revokedBefore date: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.delete(from: "phones", where: "revoked_at < \(date)", inBatchesOf: rowsMax)
    }

    private static func phone(_ row: PostgresRow) throws -> Phone {
        Phone(
            id: try row.decode("phone_id"), courier: try row.decode("courier_id"),
            app: try row.decode("app", as: String?.self).flatMap { TrackerApp(rawValue: $0) },
            label: try row.decode("label"),
            enrolledAt: try row.decode("enrolled_at"), enrolledBy: try row.decode("enrolled_by"),
            revokedAt: try row.decode("revoked_at"), revokedBy: try row.decode("revoked_by"),
            lastSeenAt: try row.decode("last_seen_at"), malformed: try row.decode("malformed"),
            malformedAt: try row.decode("malformed_at"))
    }

    // MARK: Duty

    /// Begins a duty, or changes when the present one ends.
    ///
    /// One that ended within ``Duty/clockSeconds`` goes on, since positions count until then: however often a duty is
    /// begun and ended, its courier has a period for each of these intervals at most.
    static func beginDuty(
        of courier: CourierID, at now: Date, until end: Date, by subject: String, on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            WITH present AS (
                UPDATE duties SET ended_at = \(end), reported_by = \(subject)
                WHERE courier_id = \(courier) AND began_at <= \(now)
                    AND ended_at > \(now.addingTimeInterval(-Duty.clockSeconds)) RETURNING 1
            )
            INSERT INTO duties (courier_id, began_at, ended_at, reported_by)
            SELECT \(courier)::text, \(now)::timestamptz, \(end), \(subject) WHERE NOT EXISTS (SELECT FROM present)
            ON CONFLICT (courier_id, began_at) DO UPDATE SET ended_at = excluded.ended_at, reported_by = excluded.reported_by
            """)
    }

    static func endDuty(
        of courier: CourierID, at now: Date, by subject: String, on database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE duties SET ended_at = \(now), reported_by = \(subject)
            WHERE courier_id = \(courier) AND began_at <= \(now) AND ended_at > \(now)
            """)
    }

    /// When the courier's declared duty ends; nil off duty.
    static func dutyEnd(of courier: CourierID, at now: Date, on database: some PostgresExecutor) async throws -> Date? {
        try await database.query(
            """
            SELECT max(ended_at) AS ended_at FROM duties
            WHERE courier_id = \(courier) AND began_at <= \(now) AND ended_at > \(now)
            """)[0].decode("ended_at", as: Date?.self)
    }

    /// When each of the couriers was on duty since `date`, by declared periods and by their deliveries.
    static func duties(of couriers: [CourierID], since date: Date) -> SQL {
        let ids = couriers.map(\.rawValue)
        return """
            SELECT courier_id, began_at, ended_at, false AS by_delivery FROM duties
            WHERE courier_id = ANY(\(ids)) AND ended_at > \(date)
            UNION ALL
            SELECT courier_id, courier_since, NULL, true FROM deliveries
            WHERE courier_id = ANY(\(ids)) AND ended_at IS NULL
            UNION ALL
            SELECT courier_id, courier_since, ended_at, true FROM deliveries
            WHERE courier_id = ANY(\(ids)) AND ended_at > \(date)
            """
    }

    static func duty(_ row: PostgresRow) throws -> (courier: CourierID, period: Duty.Period) {
        (
            try row.decode("courier_id"),
            Duty.Period(
                from: try row.decode("began_at", as: Date?.self) ?? .distantPast,
                to: try row.decode("ended_at", as: Date?.self) ?? .distantFuture,
                isByDelivery: try row.decode("by_delivery"))
        )
    }

    static func deleteDuties(endedBefore date: Date, rowsMax: Int, on pool: PostgresPool) async throws -> Int {
        try await pool.delete(from: "duties", where: "ended_at < \(date)", inBatchesOf: rowsMax)
    }
}
