import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import WireCoding

/// Stores an order with its deliveries, their timelines, messages and timers, once for each idempotency key.
struct PlaceOrder: Sendable {
    /// Deliveries that one order may be split into.
    static let deliveriesMax = 10
    /// Items that one delivery may have.
    static let itemsMax = 200
    /// Characters of a name; cards show names whole.
    static let nameCharactersMax = 60
    static let referenceCharactersMax = 24

    let pool: PostgresPool
    let clock: DomainClock
    let messages: DeliveryMessages
    let relay: OutboxRelay
    /// Makes the ids of new orders and deliveries.
    let makeUUID: @Sendable () -> UUID
    /// Deliveries of one customer that may be live at once.
    var customerDeliveriesMax = 60
    private let turns = CustomerTurns()

    /// The customer has, or would have, more live deliveries than one may have.
    struct TooManyDeliveries: Error {
        let customer: CustomerID
        let live: Int
        let deliveriesMax: Int
    }

    /// - Parameter request: the attempt and its idempotency key, so that a repeat gets the first response.
    /// - Returns: the response, and whether it is that of an earlier attempt.
    /// - Throws: `ValidationFailure`, `IdempotencyKeys.Conflict`, `TooManyDeliveries`, or a database error; then nothing is
    ///   stored.
    func callAsFunction(
        _ body: PlaceOrderBody, by principal: Principal, request: IdempotencyKeys.Request
    ) async throws -> (response: StoredResponse, isReplayed: Bool) {
        let violations = Self.violations(in: body)
        guard violations.isEmpty else { throw ValidationFailure(violations: violations) }
        // A customer's orders are placed one after the other, since each counts those before it.
        let result = try await turns(of: body.customer) { try await place(body, by: principal, request: request) }
        if !result.isReplayed { relay.wake() }
        return result
    }

    private func place(
        _ body: PlaceOrderBody, by principal: Principal, request: IdempotencyKeys.Request
    ) async throws -> (response: StoredResponse, isReplayed: Bool) {
        try await pool.withTransaction { transaction in
            if let response = try await IdempotencyKeys.begin(request, in: transaction) {
                return (response: response, isReplayed: true)
            }
            let live = try await OrderRepository.lockLive(of: body.customer, in: transaction)
            guard live + body.deliveries.count <= customerDeliveriesMax else {
                throw TooManyDeliveries(customer: body.customer, live: live, deliveriesMax: customerDeliveriesMax)
            }
            let (order, deliveries) = makeOrder(from: body)
            // Links are the customer's; a shop reads them with its customer's token.
            let response = StoredResponse(
                status: 201,
                body: try WireJSON.encode(
                    OrderBody(order, deliveries: deliveries.map { DeliveryBody($0, links: [], for: principal) })))
            let statements =
                try insertions(of: order, deliveries, by: principal) + [IdempotencyKeys.insert(response, to: request)]
            try await transaction.batch(statements)
            return (response: response, isReplayed: false)
        }
    }

    /// The statements that store the order and its deliveries, with their timelines, messages and timers.
    private func insertions(of order: Order, _ deliveries: [Delivery], by principal: Principal) throws -> [SQL] {
        var statements = [try OrderRepository.insert(order)]
        for delivery in deliveries {
            let placed = TimelineEntry(
                at: order.placedAt, version: delivery.version, kind: "placed", summary: "placed", by: principal.name,
                reason: nil)
            statements.append(try OrderRepository.insert(delivery))
            statements.append(OrderRepository.insert(placed, of: delivery.id))
            statements += try messages.statements(
                for: .init(delivery: delivery), cause: "placed", at: order.placedAt)
        }
        return statements
    }

    private func makeOrder(from body: PlaceOrderBody) -> (Order, [Delivery]) {
        let now = clock.now
        let orderID = OrderID(makeUUID())
        let deliveries = body.deliveries.enumerated().map { index, part in
            Delivery(
                id: DeliveryID(makeUUID()), order: orderID, reference: body.reference, customer: body.customer,
                store: body.store, bag: Bag(number: index + 1, count: body.deliveries.count), door: body.door,
                promise: part.promise ?? body.promise, handoff: body.handoff ?? .inHand,
                items: part.items.map {
                    Item(
                        id: $0.id, name: $0.name, quantity: $0.quantity ?? 1,
                        ifUnavailable: $0.ifUnavailable ?? .refund)
                },
                placedAt: now)
        }
        let order = Order(
            id: orderID, reference: body.reference, customer: body.customer, store: body.store, placedAt: now,
            deliveries: deliveries.map(\.id))
        return (order, deliveries)
    }
}

extension Handoff {
    /// Handed to the customer with nothing to verify: the default of an order without a hand-off.
    static let inHand: Handoff = {
        guard let handoff = Handoff(method: .handToCustomer, verification: .none) else {
            preconditionFailure("handing over without verification is always allowed")
        }
        return handoff
    }()
}
