import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Reading deliveries: the list, one delivery, and its timeline.
extension OrdersHTTP {
    @Sendable func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store, .operator, .courier)
        let filter = try deliveryFilter(request, for: principal)
        let cursor = try request.query("cursor", as: DeliveryCursor.self)
        let limit = try request.query("limit", in: 1...ListDeliveries.pageMax, default: ListDeliveries.pageMax)
        return try jsonResponse(try await listDeliveries(filter, after: cursor, limit: limit, for: principal))
    }

    /// The query's filter, restricted to the caller's scope.
    private func deliveryFilter(_ request: Request, for principal: Principal) throws -> DeliveryFilter {
        var filter = DeliveryFilter()
        filter.status = try request.query("status", as: StatusCode.self)
        filter.flag = try request.query("flag", as: Flag.self)
        filter.store = try request.query("store", as: StoreID.self)
        filter.courier = try request.query("courier", as: CourierID.self)
        filter.customer = try request.query("customer", as: CustomerID.self)
        filter.reference = try request.orderReference()
        filter.search = try request.searchTerm()
        filter.isLate = try request.query("late", as: BooleanParameter.self) == .true
        filter.isUnassigned = try request.query("unassigned", as: BooleanParameter.self) == .true
        filter.hasCardsBehind = try request.query("cardsBehind", as: BooleanParameter.self) == .true
        filter.ids = try request.deliveryIDs()
        filter.delivery = principal.scope.delivery
        filter.restrictions = FilterRestrictions(principal)
        if let only = principal.scope.store { filter.store = only }
        switch principal.subject {
        case .customer(let id):
            filter.customer = id
            filter.showsMissProbability = false
        case .courier(let id):
            filter.courier = id
            filter.showsMissProbability = false
        case .store, .operator, .system: break
        }
        return filter
    }

    @Sendable func showDelivery(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store, .operator, .courier)
        let id = try context.path("id", as: DeliveryID.self)
        guard let record = try await readOrders.delivery(id, for: principal) else {
            throw Problem.notFound("no delivery \(id)")
        }
        return try response(record, for: principal)
    }

    @Sendable func showTimeline(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store, .operator, .courier)
        let id = try context.path("id", as: DeliveryID.self)
        guard let (delivery, entries) = try await readOrders.timeline(of: id, for: principal) else {
            throw Problem.notFound("no delivery \(id)")
        }
        AnsweredPersons.current?.name(delivery.persons)
        return try jsonResponse(TimelineBody(delivery: id, entries: entries.map { TimelineBody.Entry($0) }))
    }
}
