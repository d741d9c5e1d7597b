import Foundation
import OrderDomain
import PostgresClient

/// The SQL of couriers' presses on their pages.
enum CourierPressRepository {
    private static let columns: SQL = "press_id, courier_id, delivery_id, action, group_id, state, pressed_at, due_at"
    /// Deliveries on one page.
    static let stopsMax = 100

    static func press(_ id: UUID, on database: some PostgresExecutor) async throws -> CourierPress? {
        try await database.query("SELECT \(sql: columns) FROM courier_presses WHERE press_id = \(id)").first.map(press)
    }

    /// A courier's press by its id, or their presses of a group by the group's.
    static func presses(
        _ id: UUID, of courier: CourierID, on database: some PostgresExecutor
    ) async throws -> [CourierPress] {
        try await database.query(
            """
            SELECT \(sql: columns) FROM courier_presses
            WHERE (press_id = \(id) OR group_id = \(id)) AND courier_id = \(courier.rawValue) ORDER BY delivery_id
            """
        ).map(press)
    }

    /// The deliveries' waiting presses: of each delivery one at most, since the next press executes it.
    static func waiting(
        of deliveries: [DeliveryID], on database: some PostgresExecutor
    ) async throws -> [CourierPress] {
        try await database.query(
            """
            SELECT \(sql: columns) FROM courier_presses
            WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[]) AND state = 'waiting' ORDER BY pressed_at
            """
        ).map(press)
    }

    static func insert(_ press: CourierPress) -> SQL {
        """
        INSERT INTO courier_presses (press_id, courier_id, delivery_id, action, group_id, state, pressed_at, due_at)
        VALUES (\(press.id), \(press.courier.rawValue), \(press.delivery.rawValue), \(press.action.rawValue),
            \(press.group)::uuid, \(press.state.rawValue), \(press.pressedAt), \(press.dueAt))
        """
    }

    static func set(_ state: CourierPress.State, of id: UUID) -> SQL {
        "UPDATE courier_presses SET state = \(state.rawValue) WHERE press_id = \(id)"
    }

    /// The live deliveries of a courier, each with the last press about it.
    ///
    /// Of more than a page has, stores alternate: first the picked-up ones of each, then by the end of the promise.
    static func stops(
        of courier: CourierID, opening box: PersonalDataBox, on database: some PostgresExecutor
    ) async throws -> [CourierStop] {
        try await database.query(
            """
            SELECT \(sql: OrderRepository.recordColumns), drop_off, pressed.* FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY store_id ORDER BY courier_status IS NOT NULL, promise_end, delivery_id) AS turn
                FROM deliveries WHERE courier_id = \(courier.rawValue) AND ended_at IS NULL
            ) AS deliveries
            LEFT JOIN LATERAL (
                SELECT \(sql: columns) FROM courier_presses
                WHERE courier_presses.delivery_id = deliveries.delivery_id
                    AND courier_presses.courier_id = \(courier.rawValue)
                ORDER BY pressed_at DESC, due_at DESC LIMIT 1
            ) AS pressed ON true
            ORDER BY turn, promise_end LIMIT \(stopsMax)
            """
        ).map { try stop(try OrderRepository.recordWithDropOff($0, opening: box), $0) }
    }

    private static func stop(_ record: DeliveryRecord, _ row: PostgresRow) throws -> CourierStop {
        CourierStop(
            record: record,
            // A press of a newer version is shown by its effect, once executed.
            press: try row.decode("press_id", as: UUID?.self).flatMap { _ in try? press(row) })
    }

    /// The courier's deliveries whose end is known since then and that they pressed something about, each with the last
    /// press about it and without its address, the last such end first.
    static func ended(
        of courier: CourierID, since: Date, on database: some PostgresExecutor
    ) async throws -> [CourierStop] {
        // A confirmed hand-over is older than its confirmation by no more than these hours; the last press about it may
        // be older still.
        let earliest = since.addingTimeInterval(-Delivery.reportedEndHoursMax * 3_600)
        return try await database.query(
            """
            SELECT \(sql: OrderRepository.recordColumns), pressed.* FROM (
                SELECT *, greatest(ended_at, (snapshot->'proof'->>'confirmedAt')::timestamptz) AS end_known_at
                FROM deliveries WHERE ended_at > \(earliest) AND courier_id = \(courier.rawValue)
            ) AS deliveries
            JOIN LATERAL (
                SELECT \(sql: columns) FROM courier_presses
                WHERE courier_presses.delivery_id = deliveries.delivery_id
                    AND courier_presses.courier_id = \(courier.rawValue)
                    AND (pressed_at > \(since) OR end_known_at > ended_at)
                ORDER BY pressed_at DESC, due_at DESC LIMIT 1
            ) AS pressed ON true
            WHERE end_known_at > \(since) ORDER BY end_known_at DESC LIMIT \(stopsMax)
            """
        ).map { try stop(try OrderRepository.record($0), $0) }
    }

    private static func press(_ row: PostgresRow) throws -> CourierPress {
        guard let courier = CourierID(rawValue: try row.decode("courier_id")),
            let delivery = DeliveryID(rawValue: try row.decode("delivery_id")),
            let action = CourierAction(rawValue: try row.decode("action")),
            let state = CourierPress.State(rawValue: try row.decode("state"))
        else { throw UnknownPress() }
        return CourierPress(
            id: try row.decode("press_id"), courier: courier, delivery: delivery, action: action,
            group: try row.decode("group_id", as: UUID?.self), state: state,
            pressedAt: try row.decode("pressed_at"), dueAt: try row.decode("due_at"))
    }

    /// A row that a newer version wrote.
    private struct UnknownPress: Error {}
}
