import Crypto
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import WireCoding

/// Takes an order: once for each idempotency key, whole or not at all.
struct PlaceOrder: Sendable {
    /// Deliveries that one order may be split into.
    static let deliveriesMax = 10
    /// Lines that one delivery may have.
    static let itemsMax = 200
    /// Characters of a name that a card shows.
    static let nameCharactersMax = 60
    static let referenceCharactersMax = 24

    let pool: PostgresPool
    let clock: DomainClock
    let announcement: Announcement
    let relay: OutboxRelay
    /// Names new orders and deliveries.
    let makeUUID: @Sendable () -> UUID

    /// One thing that is wrong with a body, and where.
    struct Fault: Hashable, Sendable {
        /// A JSON path: `deliveries[0].items[2].name`.
        let path: String
        let message: String
    }

    struct Invalid: Error, Hashable, Sendable {
        let faults: [Fault]
    }

    /// - Parameters:
    ///   - request: names the attempt, so that a repeat gets the first answer.
    /// - Returns: what to answer, and whether it had been answered before.
    /// - Throws: `Invalid`, `IdempotentAnswers.Conflict`, or a database error; then nothing is stored.
    func callAsFunction(
        _ body: PlaceOrderBody, by actor: Actor, request: IdempotentAnswers.Request
    ) async throws -> (answer: IdempotentAnswers.Answer, isReplayed: Bool) {
        let faults = Self.faults(in: body)
        guard faults.isEmpty else { throw Invalid(faults: faults) }
        let result = try await pool.withTransaction { transaction in
            if let answer = try await IdempotentAnswers.begin(request, in: transaction) {
                return (answer: answer, isReplayed: true)
            }
            let (order, deliveries) = make(body)
            // Links are the customer's; a shop that wants them asks with its customer's token.
            let answer = IdempotentAnswers.Answer(
                status: 201,
                body: try WireJSON.encode(
                    OrderBody(order, deliveries: deliveries.map { DeliveryBody($0, links: []) })))
            var statements = [try OrderRepository.insert(order)]
            for delivery in deliveries {
                statements.append(try OrderRepository.insert(delivery))
                let placed = TimelineEntry(
                    at: order.placedAt, version: delivery.version, kind: "placed", what: "placed", by: actor.name,
                    reason: nil)
                statements.append(OrderRepository.insert(placed, of: delivery.id))
                statements += try announcement.statements(
                    for: .init(delivery: delivery), cause: "placed", at: order.placedAt)
            }
            statements.append(IdempotentAnswers.keep(answer, for: request))
            try await transaction.batch(statements)
            return (answer: answer, isReplayed: false)
        }
        if !result.isReplayed { relay.wake() }
        return result
    }

    private func make(_ body: PlaceOrderBody) -> (Order, [Delivery]) {
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

    /// Everything that is wrong with a body, not only the first thing.
    static func faults(in body: PlaceOrderBody) -> [Fault] {
        var faults: [Fault] = []
        func check(_ isRight: Bool, _ path: String, _ message: String) {
            if !isRight { faults.append(Fault(path: path, message: message)) }
        }
        func checkName(_ name: String, _ path: String, max: Int = nameCharactersMax) {
            check(
                name.isPlainText(charactersMax: max), path, "must be 1 to \(max) characters, none a control one")
        }
        checkName(body.reference, "reference", max: referenceCharactersMax)
        checkName(body.store.name, "store.name")
        check(TimeZone(identifier: body.store.timeZone) != nil, "store.timeZone", "must be an IANA time zone")
        check(
            (1...deliveriesMax).contains(body.deliveries.count), "deliveries",
            "must be 1 to \(deliveriesMax) deliveries")
        for (index, part) in body.deliveries.prefix(deliveriesMax).enumerated() {
            let path = "deliveries[\(index)].items"
            check((1...itemsMax).contains(part.items.count), path, "must be 1 to \(itemsMax) lines")
            check(Set(part.items.map(\.id)).count == part.items.count, path, "must not name an item twice")
            for (index, line) in part.items.prefix(itemsMax).enumerated() {
                checkName(line.name, "\(path)[\(index)].name")
                check((1...999).contains(line.quantity ?? 1), "\(path)[\(index)].quantity", "must be 1 to 999")
            }
        }
        return faults
    }
}

extension Handoff {
    /// Handed over, nothing to check: what an order says that says nothing.
    static let inHand: Handoff = {
        guard let handoff = Handoff(method: .handToCustomer, verification: .none) else {
            preconditionFailure("handing over without verification is always allowed")
        }
        return handoff
    }()
}
