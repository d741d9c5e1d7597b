import Foundation
import OrderDomain
import PostgresClient

/// The SQL of the list of orders, by when they last changed.
enum OrderListRepository {
    struct Row: Sendable {
        let order: Order
        /// Domain time of the newest change of any of its deliveries.
        let changedAt: Date
        /// The order's deliveries by bag.
        let deliveries: [DeliveryRecord]
    }

    /// Up to `limit` orders after a position, and whether there are more.
    static func page(
        _ filter: OrderFilter, after cursor: OrderCursor?, asOf: Date, limit: Int, opening box: PersonalDataBox,
        on database: some PostgresExecutor
    ) async throws -> (rows: [Row], hasMore: Bool) {
        let sealed = try await DeliverySearch.sealed(
            filter.search, restrictions: filter.restrictions, scope: deliveryConditions(filter), asOf: asOf,
            opening: box, on: database)
        let orders = try await database.query(
            statement(filter, sealed: sealed, after: cursor, asOf: asOf, limit: limit)
        ).map { row in
            (order: try row.decodeJSON("snapshot", as: Order.self), at: try row.decode("changed_at", as: Date.self))
        }
        let page = orders.prefix(limit)
        let deliveries = try await OrderRepository.deliveries(of: page.map(\.order.id), on: database)
        return (
            page.map { Row(order: $0.order, changedAt: $0.at, deliveries: deliveries[$0.order.id] ?? []) },
            orders.count > limit
        )
    }

    /// Orders and when they changed, one more than `limit`.
    ///
    /// - Parameter sealed: the deliveries that a search has found by sealed drop-offs.
    static func statement(
        _ filter: OrderFilter, sealed: [DeliveryID] = [], after cursor: OrderCursor?, asOf: Date, limit: Int
    ) -> SQL {
        let isAscending = filter.changedSince != nil
        var conditions = scopeConditions(filter)
        if let since = filter.changedSince { conditions += " AND \(sql: changedAt) >= \(since)" }
        if let search = filter.search {
            let found = DeliverySearch.ids(
                search, restrictions: filter.restrictions, scope: deliveryConditions(filter), sealed: sealed,
                asOf: asOf)
            conditions += " AND order_id IN (SELECT order_id FROM deliveries WHERE delivery_id IN (\(sql: found)))"
        }
        if let cursor {
            let comparison: SQL = isAscending ? ">" : "<"
            conditions += """
                 AND (\(sql: changedAt), order_id) \(sql: comparison)
                    (\(cursor.changedAt)::timestamptz, \(cursor.position.order.rawValue))
                """
        }
        let direction: SQL = isAscending ? "" : "DESC"
        return """
            SELECT snapshot, \(sql: changedAt) AS changed_at FROM orders WHERE \(sql: conditions)
            ORDER BY \(sql: changedAt) \(sql: direction), order_id \(sql: direction) LIMIT \(limit + 1)
            """
    }

    /// The expression of the indexes.
    private static let changedAt: SQL = "coalesce(changed_at, placed_at)"

    private static func scopeConditions(_ filter: OrderFilter) -> SQL {
        var conditions: SQL = "TRUE"
        if let customer = filter.customer { conditions += " AND customer_id = \(customer.rawValue)" }
        if let store = filter.store { conditions += " AND store_id = \(store.rawValue)" }
        if let delivery = filter.delivery {
            conditions +=
                " AND order_id = (SELECT order_id FROM deliveries WHERE delivery_id = \(delivery.rawValue))"
        }
        return conditions
    }

    /// The filter's conditions on deliveries.
    private static func deliveryConditions(_ filter: OrderFilter) -> SQL {
        var conditions: SQL = "TRUE"
        if let customer = filter.customer { conditions += " AND customer_id = \(customer.rawValue)" }
        if let store = filter.store { conditions += " AND store_id = \(store.rawValue)" }
        if let delivery = filter.delivery { conditions += " AND delivery_id = \(delivery.rawValue)" }
        return conditions
    }
}
