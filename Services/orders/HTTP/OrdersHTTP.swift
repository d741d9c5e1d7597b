import DeclaredMetrics
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import Metrics
import OrderDomain
import ServiceRuntime
import WireCoding

/// The routes of `orders`: each decodes its request, calls a use case, and encodes the response.
struct OrdersHTTP: Sendable {
    let placeOrder: PlaceOrder
    let readOrders: ReadOrders
    let readContacts: ReadContacts
    let listOrders: ListOrders
    let listDeliveries: ListDeliveries
    let listTimeline: ListTimeline
    let makeDayReport: MakeDayReport
    let change: ChangeDelivery
    let giveProof: GiveProof
    let giveImage: GiveImage
    let showImage: ShowImage
    let pressLink: PressLink
    let pages: LinkPages
    let courierPages: CourierPages
    let shareDelivery: ShareDelivery
    let faces: FaceHTTP
    let issueToken: IssueToken
    let requestErasure: RequestErasure
    let requestCourierErasure: RequestCourierErasure
    let requestExport: RequestExport
    let readArchive: ReadArchive
    let operatorRoutes: OperatorRoutes
    let customerPacer: CustomerPacer

    /// The query parameters of the routes; a browser, or a program that passes a link on, may add any to a page's address.
    static let queryParameters = QueryParameters(
        [
            "GET /v1/orders": ["search", "changedSince", "store", "limit", "cursor"],
            "GET /v1/deliveries": [
                "status", "flag", "store", "courier", "customer", "reference", "ids", "search", "late", "unassigned",
                "cardsBehind", "limit", "cursor",
            ],
            "GET /v1/contacts": ["ids", "of"],
            "GET /v1/timeline": [
                "since", "store", "courier", "kind", "notices", "reference", "delivery", "order", "limit", "cursor",
            ],
            "GET /v1/report": ["day", "store"],
            "POST /v1/deliveries/{id}/status": ["preview"],
            "PUT /v1/deliveries/{id}/courier": ["preview", "unknown"],
            "POST /v1/deliveries/{id}/items": ["preview"],
            "PATCH /v1/deliveries/{id}/items/{item}": ["preview"],
            "PATCH /v1/deliveries/{id}/drop-off": ["preview"],
            "PATCH /v1/deliveries/{id}/recipient": ["preview"],
            "POST /v1/deliveries/{id}/correction-due": ["preview"],
            "PUT /v1/deliveries/{id}/hold": ["preview"],
            "DELETE /v1/deliveries/{id}/hold": ["preview"],
            "PUT /v1/deliveries/{id}/promise": ["preview"],
            "PUT /v1/deliveries/{id}/trip": ["preview"],
            "GET /v1/person-requests/{id}/archive": ["format"],
        ], open: ["/l", "/c", "/assets"])

    func addRoutes(to router: Router<AppContext>) {
        operatorRoutes.record(Self.personalReads, on: router)
        let orders = router.group("v1/orders")
        orders.get(use: listOrders)
        orders.post(use: place)
        orders.get("{id}", use: showOrder)

        let deliveries = router.group("v1/deliveries")
        deliveries.get(use: list)
        deliveries.get("{id}", use: showDelivery)
        deliveries.get("{id}/timeline", use: showTimeline)
        deliveries.post("{id}/status", use: setStatus)
        deliveries.post("{id}/proofs", use: acceptProof)
        deliveries.put("{id}/proofs/{kind}", use: acceptImage)
        deliveries.get("{id}/images/{image}", use: image)
        deliveries.put("{id}/courier", use: assignCourier)
        deliveries.post("{id}/items", use: addItems)
        deliveries.patch("{id}/items/{item}", use: changeItem)
        deliveries.patch("{id}/drop-off", use: correctDropOff)
        deliveries.patch("{id}/recipient", use: correctRecipient)
        deliveries.post("{id}/correction-due", use: settleCorrection)
        deliveries.put("{id}/hold", use: hold)
        deliveries.delete("{id}/hold", use: release)
        deliveries.put("{id}/promise", use: reschedule)
        deliveries.put("{id}/trip", use: setTrip)
        deliveries.put("{id}/feedback", use: giveFeedback)
        deliveries.post("{id}/view-link", use: makeViewLink)
        deliveries.delete("{id}/view-link", use: revokeViewLinks)

        router.get("v1/contacts", use: showContacts)
        router.get("v1/timeline", use: listTimeline)
        router.get("v1/report", use: showReport)

        router.post("v1/couriers/{id}/link", use: makeCourierLink)
        router.delete("v1/couriers/{id}/link", use: revokeCourierLinks)
        courierPages.addRoutes(to: router)

        router.get("l/{link}", use: showLink)
        router.post("l/{link}", use: press)
        pages.addRoutes(to: router)
        faces.addRoutes(to: router)
        router.post("v1/tokens", use: makeToken)
        router.post("v1/customers/{customer}/erase", use: erasePerson)
        router.post("v1/customers/{customer}/export", use: exportPerson)
        router.post("v1/couriers/{id}/erase", use: eraseCourier)
        router.post("v1/couriers/{id}/export", use: exportCourier)
        router.get("v1/person-requests/{id}", use: showPersonRequest)
        router.get("v1/person-requests/{id}/archive", use: showArchive)
        operatorRoutes.addRoutes(to: router)
    }

    // MARK: Orders

    @Sendable func place(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let key = try request.idempotencyKey()
        let bytes = try await request.bytes()
        let attempt = IdempotentRequest(principal: principal, route: "POST /v1/orders", key: key, body: bytes)
        do {
            let body: PlaceOrderBody
            do {
                body = try await Request.decode(PlaceOrderBody.self, from: bytes, check: placeOrder.check)
            } catch {
                guard let earlier = try await placeOrder.earlierResponse(to: attempt, for: principal) else {
                    throw error
                }
                return try placed(earlier, isReplayed: true)
            }
            if let only = principal.scope.store, only != body.store.id { throw Problem.wrongStore(only) }
            let (response, isReplayed) = try await placeOrder(body, by: principal, request: attempt)
            await customerPacer.wait(for: body.customer, changes: body.deliveries.count)
            return try placed(response, isReplayed: isReplayed)
        } catch let refusal as PlaceOrder.TooManyDeliveries {
            OrdersMetrics.ordersRefused.counter().increment()
            throw refusal
        }
    }

    /// The answer about a placed order, with its address and its entity tag.
    private func placed(_ stored: StoredResponse, isReplayed: Bool) throws -> Response {
        struct PlacedOrder: Decodable {
            struct Part: Decodable { let version: Int }
            let id: OrderID
            let deliveries: [Part]
        }
        let order = try WireJSON.decode(PlacedOrder.self, from: stored.body)
        var headers: HTTPFields = [
            .location: "/v1/orders/\(order.id)", .eTag: entityTag(versions: order.deliveries.map(\.version)),
        ]
        if isReplayed, let name = HTTPField.Name("Idempotent-Replayed") { headers[name] = "true" }
        return Response(stored, headers: headers)
    }

    @Sendable func showOrder(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store, .operator)
        let id = try context.path("id", as: OrderID.self)
        guard let (order, deliveries) = try await readOrders.order(id, for: principal) else {
            throw Problem.notFound("no order \(id)")
        }
        return try jsonResponse(
            OrderBody(order, deliveries: deliveries.map { body(of: $0, for: principal) }),
            headers: [.eTag: entityTag(versions: deliveries.map(\.delivery.version))])
    }

    // MARK: Tokens

    @Sendable func makeToken(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.require(.store, .operator, as: .supervisor)
        let body = try await request.decode(as: IssueTokenBody.self, check: IssueToken.check)
        AnsweredPersons.current?.add(Persons(customer: body.customer))
        return try jsonResponse(try await issueToken(body, for: identity), status: .created)
    }

    // MARK: Shared by routes

    /// The delivery after a change; where nothing changed, the answer is a read.
    func response(_ outcome: ChangeDelivery.Outcome, for principal: Principal) throws -> Response {
        if !outcome.hasChanged { AnsweredPersons.current?.changesNothing() }
        return try response(outcome.record, for: principal)
    }

    func response(_ record: DeliveryRecord, for principal: Principal) throws -> Response {
        try jsonResponse(
            body(of: record, for: principal), headers: [.eTag: entityTag(version: record.delivery.version)])
    }

    /// The delivery for this principal: only a customer gets its links, since only they may press them.
    func body(of record: DeliveryRecord, for principal: Principal) -> DeliveryBody {
        let hasLinks: Bool =
            switch principal.subject {
            case .customer: true
            case .store, .courier, .operator, .system: false
            }
        return DeliveryBody(
            record.delivery, dropOff: record.dropOff,
            links: hasLinks ? pressLink.signer.links(for: record.delivery) : [],
            pin: hasLinks ? change.messages.openPIN(of: record) : nil,
            showsImages: hasLinks && showImage.visibility.includes(record.delivery.store.id),
            isErased: record.isErased, for: principal, at: change.clock.now)
    }
}

extension Response {
    /// A stored response, as it was first sent.
    init(_ stored: StoredResponse, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        self.init(
            status: .init(code: stored.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: stored.body)))
    }
}
