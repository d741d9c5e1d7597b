import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Lists of orders: by a search term, or by the time of their changes.
extension OrdersHTTP {
    @Sendable func listOrders(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store, .operator)
        let filter = try orderFilter(request, for: principal)
        let cursor = try request.query("cursor", as: OrderCursor.self)
        let limit = try request.query("limit", in: 1...ListOrders.pageMax, default: ListOrders.pageMax)
        let page = try await listOrders(filter, after: cursor, limit: limit, for: principal)
        return try jsonResponse(
            OrdersBody(
                orders: page.rows.map { row in
                    OrderBody(row.order, deliveries: row.deliveries.map { body(of: $0, for: principal) })
                }, next: page.next?.rawValue, changedUntil: page.changedUntil))
    }

    /// The query's filter, restricted to the caller's scope.
    private func orderFilter(_ request: Request, for principal: Principal) throws -> OrderFilter {
        var filter = OrderFilter()
        filter.search = try request.searchTerm()
        filter.changedSince = try request.time("changedSince")
        filter.store = try principal.scope.store ?? request.query("store", as: StoreID.self)
        filter.delivery = principal.scope.delivery
        if case .customer(let id) = principal.subject { filter.customer = id }
        filter.restrictions = FilterRestrictions(principal)
        return filter
    }
}

extension Request {
    /// The caller's search term; nil without one.
    func searchTerm() throws -> SearchTerm? { try typed("search", charactersMax: SearchTerm.charactersMax) }

    /// The order that the caller names; nil where none is named.
    func orderReference() throws -> OrderReference? {
        try typed("reference", charactersMax: OrderReference.charactersMax)
    }

    /// A text of the query, as a person types it.
    private func typed<Text: RawRepresentable<String>>(_ name: String, charactersMax: Int) throws -> Text? {
        guard let text = query(name) else { return nil }
        guard let typed = Text(rawValue: text) else {
            throw Problem.malformed("query \(name)", "must be 1 to \(charactersMax) characters, none a control one")
        }
        return typed
    }

    /// The deliveries' ids in the query; nil without the parameter.
    ///
    /// - Throws: ``Problem`` 400 unless they are comma-separated delivery ids, at most as many as a page has.
    func deliveryIDs() throws -> [DeliveryID]? {
        guard let text = uri.queryParameters["ids"] else { return nil }
        let ids = text.split(separator: ",").map { DeliveryID(rawValue: String($0)) }
        guard (1...ListDeliveries.pageMax).contains(ids.count), !ids.contains(nil) else {
            throw Problem.malformed(
                "query ids", "must be 1 to \(ListDeliveries.pageMax) deliveries' ids, separated by commas")
        }
        return ids.compactMap(\.self)
    }
}

extension FilterRestrictions {
    init(_ reader: Principal) {
        switch reader.subject {
        case .customer: self.init(courierBeforePickup: true)
        case .courier: self.init(customerAfterEnd: true, dropOff: true)
        case .store, .operator, .system: self.init()
        }
    }
}
