import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import OrderDomain
import ReliableMessaging
import ServiceRuntime
import WireCoding

/// The routes of `orders`: decode, call a use case, answer.
struct OrdersHTTP: Sendable {
    /// E.164 has 15 digits; people write them with blanks, signs and extensions.
    static let phoneCharactersMax = 40

    let placeOrder: PlaceOrder
    let change: ChangeDelivery
    let pressLink: PressLink
    let issueToken: IssueToken
    let board: Board
    let republisher: Republisher
    let deadLetters: DeadLetterRoutes

    func addRoutes(to router: Router<AppContext>) {
        let orders = router.group("v1/orders")
        orders.post(use: place)
        orders.get("{id}", use: showOrder)

        let deliveries = router.group("v1/deliveries")
        deliveries.get(use: listDeliveries)
        deliveries.get("{id}", use: showDelivery)
        deliveries.get("{id}/timeline", use: showTimeline)
        deliveries.post("{id}/status", use: setStatus)
        deliveries.put("{id}/courier", use: assignCourier)
        deliveries.patch("{id}/items/{item}", use: changeItem)
        deliveries.put("{id}/hold", use: hold)
        deliveries.delete("{id}/hold", use: release)
        deliveries.put("{id}/promise", use: reschedule)
        deliveries.put("{id}/trip", use: setTrip)

        router.get("l/{link}", use: showLink)
        router.post("l/{link}", use: press)
        router.post("v1/tokens", use: token)
        router.post("v1/admin/republish", use: republish)
        deadLetters.addRoutes(to: router)
    }

    // MARK: Orders

    @Sendable func place(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.store, .operator))
        let key = try request.idempotencyKey()
        let bytes = try await request.bytes()
        let body = try Request.decode(PlaceOrderBody.self, from: bytes)
        if case .store(_, let only?) = actor, only != body.store.id {
            throw Problem.unprocessable(
                "this token is for store \(only)", slug: "wrong-store",
                errors: [.init(path: "store.id", message: "must be \(only)")])
        }
        do {
            let (answer, isReplayed) = try await placeOrder(
                body, by: actor,
                request: .init(principal: actor.name, route: "POST /v1/orders", key: key, body: bytes))
            var headers: HTTPFields = [:]
            if isReplayed, let name = HTTPField.Name("Idempotent-Replayed") { headers[name] = "true" }
            return Response(kept: answer.body, status: answer.status, headers: headers)
        } catch let invalid as PlaceOrder.Invalid {
            throw Problem(invalid)
        } catch let conflict as IdempotentAnswers.Conflict {
            throw Problem(conflict)
        }
    }

    @Sendable func showOrder(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.customer, .store, .operator))
        let id = try context.path("id", as: OrderID.self)
        guard let order = try await OrderRepository.order(id, on: change.pool) else {
            throw Problem.notFound("no order \(id)")
        }
        let deliveries = try await OrderRepository.deliveries(of: id, on: change.pool)
        guard deliveries.contains(where: { actor.sees($0.delivery) }) else { throw Problem.notFound("no order \(id)") }
        return try jsonResponse(OrderBody(order, deliveries: deliveries.map { body($0, for: actor) }))
    }

    // MARK: Deliveries

    @Sendable func listDeliveries(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.customer, .store, .operator, .courier))
        var filter = Board.Filter()
        filter.status = try request.query("status", as: StatusCode.self)
        filter.flag = try request.query("flag", as: Flag.self)
        filter.store = try request.query("store", as: StoreID.self)
        filter.courier = try request.query("courier", as: CourierID.self)
        filter.isLate = try request.query("late", as: Choice.self) == .true
        filter.unassigned = try request.query("unassigned", as: Choice.self) == .true
        switch actor {
        case .customer(let id, let scope):
            filter.customer = id
            filter.showsMissProbability = false
            filter.delivery = scope.delivery
            if let only = scope.store { filter.store = only }
        case .store(_, let only?): filter.store = only
        case .courier(let id):
            filter.courier = id
            filter.showsMissProbability = false
        case .store(_, nil), .operator, .system: break
        }
        let cursor = try request.query("cursor", as: Board.Cursor.self)
        let limit = try request.query("limit", in: 1...Board.pageMax, default: Board.pageMax)
        return try jsonResponse(try await board.page(filter, after: cursor, limit: limit))
    }

    @Sendable func showDelivery(_ request: Request, _ context: AppContext) async throws -> Response {
        let (actor, stored) = try await seen(context)
        return try answer(stored, for: actor)
    }

    @Sendable func showTimeline(_ request: Request, _ context: AppContext) async throws -> Response {
        let (actor, stored) = try await seen(context)
        let entries = try await OrderRepository.timeline(stored.delivery.id, on: change.pool).map { $0.told(to: actor) }
        return try jsonResponse(
            TimelineBody(
                delivery: stored.delivery.id,
                entries: entries.map {
                    .init(at: $0.at, version: $0.version, kind: $0.kind, what: $0.what, by: $0.by, reason: $0.reason)
                }))
    }

    @Sendable func setStatus(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.store, .operator, .courier))
        let condition: VersionCondition?
        if case .operator = actor {
            condition = try request.headers.requiredIfMatch()
        } else {
            condition = try request.headers.ifMatch()
        }
        let body = try await request.decode(as: StatusBody.self)
        guard actor.sets(body.status) else {
            throw Problem.notYoursToSet(body.status)
        }
        try checkReason(body.reason)
        return try await changed(context, by: actor, expecting: condition) { delivery in
            guard delivery.status.isEnded, body.status != delivery.status.code else {
                return .status(body.status, reason: body.reason)
            }
            guard case .operator = actor else { return .status(body.status, reason: body.reason) }
            guard let reason = body.reason else {
                throw Problem.unprocessable(
                    "reopening a delivery that has ended needs a reason", slug: "reason-required",
                    errors: [.init(path: "reason", message: "is missing")])
            }
            return .override(body.status, reason: reason)
        }
    }

    @Sendable func assignCourier(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.store, .operator))
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: AssignBody.self)
        let courier: Courier?
        switch body.courier {
        case nil: courier = nil
        case .known(let id):
            courier =
                try await OrderRepository.courier(id, on: change.pool)
                ?? Courier(id: id, name: id.rawValue, vehicle: .bicycle, phone: nil)
        case .described(let described):
            try described.name.checkPlainText("courier.name", charactersMax: PlaceOrder.nameCharactersMax)
            try described.phone?.checkPlainText("courier.phone", charactersMax: Self.phoneCharactersMax)
            courier = Courier(
                id: described.id, name: described.name, vehicle: described.vehicle ?? .bicycle, phone: described.phone)
        }
        try checkReason(body.reason)
        return try await changed(context, by: actor, expecting: condition, reason: body.reason) { _ in .courier(courier)
        }
    }

    @Sendable func changeItem(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.store, .operator))
        let condition = try request.headers.ifMatch()
        let item = try context.path("item", as: ItemID.self)
        let body = try await request.decode(as: ItemBody.self)
        let now = change.clock.now
        return try await changed(context, by: actor, expecting: condition) { delivery in
            .item(item, try body.change(of: delivery.items.first { $0.id == item }, at: now))
        }
    }

    @Sendable func hold(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.operator))
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: HoldBody.self)
        try checkReason(body.reason)
        return try await changed(context, by: actor, expecting: condition) { _ in .hold(reason: body.reason) }
    }

    @Sendable func release(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.operator))
        let condition = try request.headers.ifMatch()
        let bytes = try await request.bytes()
        let reason = bytes.isEmpty ? nil : try Request.decode(HoldBody.self, from: bytes).reason
        try checkReason(reason)
        return try await changed(context, by: actor, expecting: condition, reason: reason) { _ in .release }
    }

    @Sendable func reschedule(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.store, .operator))
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: PromiseBody.self)
        guard let promise = Promise(start: body.start, end: body.end) else {
            throw Problem.malformed("end", "must be after start")
        }
        try checkReason(body.reason)
        return try await changed(context, by: actor, expecting: condition, reason: body.reason) { _ in .promise(promise)
        }
    }

    @Sendable func setTrip(_ request: Request, _ context: AppContext) async throws -> Response {
        let actor = try Actor(try context.require(.store, .operator))
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: TripBody.self)
        guard (0...50).contains(body.stopsBefore) else { throw Problem.malformed("stopsBefore", "must be 0 to 50") }
        return try await changed(context, by: actor, expecting: condition) { _ in .stopsBefore(body.stopsBefore) }
    }

    // MARK: Tokens and healing

    @Sendable func token(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.require(.store, .operator)
        let body = try await request.decode(as: IssueTokenBody.self)
        return try jsonResponse(try await issueToken(body, for: identity), status: .created)
    }

    @Sendable func republish(_ request: Request, _ context: AppContext) async throws -> Response {
        _ = try context.require(.operator)
        return try jsonResponse(RepublishBody(republished: try await republisher.republishNow()), status: .accepted)
    }

    // MARK: What the routes share

    /// The delivery in the path, where it is the caller's to see.
    private func seen(_ context: AppContext) async throws -> (Actor, OrderRepository.Stored) {
        let actor = try Actor(try context.require(.customer, .store, .operator, .courier))
        let id = try context.path("id", as: DeliveryID.self)
        guard let stored = try await OrderRepository.delivery(id, on: change.pool), actor.sees(stored.delivery) else {
            throw Problem.notFound("no delivery \(id)")
        }
        return (actor, stored)
    }

    /// Makes one change and answers with the delivery as it then is.
    private func changed(
        _ context: AppContext, by actor: Actor, expecting condition: VersionCondition?, reason: String? = nil,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> Response {
        let id = try context.path("id", as: DeliveryID.self)
        do {
            let outcome = try await change(id, by: actor, reason: reason) { delivery in
                // Under the delivery's lock, so that nobody changes it between the comparison and the change.
                try condition?.check(current: delivery.version)
                return try decide(delivery)
            }
            return try answer(outcome.stored, for: actor)
        } catch let refusal as ChangeDelivery.Refusal {
            throw Problem(refusal)
        } catch let refused as ChangeRefused {
            throw Problem(refused)
        }
    }

    private func checkReason(_ reason: String?) throws {
        guard let reason else { return }
        try reason.checkPlainText("reason", charactersMax: 200)
    }

    private func answer(_ stored: OrderRepository.Stored, for actor: Actor) throws -> Response {
        try jsonResponse(body(stored, for: actor), headers: [.eTag: entityTag(version: stored.delivery.version)])
    }

    /// Links are the customer's to press; nobody else is given them.
    private func body(_ stored: OrderRepository.Stored, for actor: Actor) -> DeliveryBody {
        let links: Bool =
            switch actor {
            case .customer: true
            case .store, .courier, .operator, .system: false
            }
        return DeliveryBody(stored.delivery, links: links ? change.announcement.signer.links(for: stored.delivery) : [])
    }
}

extension Response {
    /// An answer as it was kept with the request that it first answered.
    init(kept body: Data, status: Int, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        self.init(
            status: .init(code: status), headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}

/// A query parameter that is `true` or `false`.
private enum Choice: String {
    case `true`, `false`
}
