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
    /// E.164 has 15 digits; people write them with blanks, signs and extensions.
    static let phoneCharactersMax = 40
    /// Characters of a bag's barcode.
    static let barcodeCharactersMax = 80
    /// Characters of a language tag.
    ///
    /// - Source: RFC 5646, section 4.4.1, the length that every implementation accepts.
    static let languageCharactersMax = 35

    let pool: PostgresPool
    let clock: DomainClock
    let messages: DeliveryMessages
    let counters: DeliveryCounters
    let relay: OutboxRelay
    let faces: StoreFaces
    let personalData: PersonalDataBox
    /// Makes the ids of new orders and deliveries.
    let makeUUID: @Sendable () -> UUID
    var limits = OrderLimits()
    var proofRules = ProofRules()
    private let customerLock = CustomerLock()

    /// The customer has, or would have, more live deliveries than one may have.
    struct TooManyDeliveries: Error {
        let customer: CustomerID
        /// The only store whose deliveries count, the token's; nil for every store.
        let store: StoreID?
        let live: Int
        let deliveriesMax: Int
    }

    /// The store has a live order with this reference already.
    struct ReferenceInUse: Error {
        let reference: String
        let order: OrderID
    }

    /// The response to an earlier attempt of the same body; nil without one.
    ///
    /// A repeat gets it even where the order would be refused by now, such as after the end of its promise.
    ///
    /// - Throws: `IdempotentRequest.Conflict.inFlight` while the first attempt is being stored, or a database error.
    func earlierResponse(to request: IdempotentRequest, for reader: Principal) async throws -> StoredResponse? {
        do {
            return try await pool.withTransaction { transaction in
                guard let stored = try await IdempotencyKeys.begin(request, in: transaction) else { return nil }
                return try await withDropOffs(stored, for: reader, in: transaction)
            }
        } catch IdempotentRequest.Conflict.keyReused {
            return nil
        }
    }

    /// - Parameter body: a body without faults by ``check(_:_:)``.
    /// - Parameter request: the attempt and its idempotency key, so that a repeat gets the first response.
    /// - Returns: the response, and whether it is an earlier attempt's.
    /// - Throws: `IdempotentRequest.Conflict`, `TooManyDeliveries`, `ReferenceInUse`, or a database error; then nothing
    ///   is stored.
    func callAsFunction(
        _ body: PlaceOrderBody, by principal: Principal, request: IdempotentRequest
    ) async throws -> (response: StoredResponse, isReplayed: Bool) {
        var body = body
        // As it is found: a number from a column of a fixed width is the same number.
        body.reference = OrderReference(rawValue: body.reference)?.rawValue ?? body.reference
        for index in body.deliveries.indices {
            body.deliveries[index].barcode = body.deliveries[index].barcode.map(DeliveryProof.comparedBarcode)
        }
        // A customer's orders are placed one after the other, since each counts those before it.
        let result = try await customerLock(of: body.customer) {
            [body] in try await place(body, by: principal, request: request)
        }
        relay.publish(result.messages)
        if !result.isReplayed { counters.countPlaced(body.deliveries.count) }
        return (result.response, result.isReplayed)
    }

    private func place(
        _ body: PlaceOrderBody, by principal: Principal, request: IdempotentRequest
    ) async throws -> (response: StoredResponse, isReplayed: Bool, messages: OutboxBatch) {
        let brand = try await faces(body.store.id).face?.brand
        return try await pool.withTransaction { transaction in
            if let stored = try await IdempotencyKeys.begin(request, in: transaction) {
                let response = try await withDropOffs(stored, for: principal, in: transaction)
                return (response: response, isReplayed: true, messages: OutboxBatch([]))
            }
            let store = principal.scope.store
            let live = try await OrderRepository.lockLive(of: body.customer, at: store, in: transaction)
            guard live + body.deliveries.count <= limits.customerDeliveriesMax else {
                throw TooManyDeliveries(
                    customer: body.customer, store: store, live: live, deliveriesMax: limits.customerDeliveriesMax)
            }
            let other = try await OrderRepository.lockLiveOrder(body.reference, of: body.store.id, in: transaction)
            if let other { throw ReferenceInUse(reference: body.reference, order: other) }
            let (order, deliveries) = makeOrder(from: body, brand)
            let dropOff = DropOff(recipient: body.recipient, address: body.address, note: body.note)
            // Links are the customer's; a shop reads them with its customer's token.
            let bodies = deliveries.map { DeliveryBody($0, dropOff: nil, links: [], for: principal) }
            let body = OrderBody(order, deliveries: bodies)
            let stored = StoredResponse(status: 201, body: try WireJSON.encode(body.with(doors: [:])))
            let dropOffs = dropOff.map { dropOff in
                Dictionary(uniqueKeysWithValues: deliveries.map { ($0.id, dropOff) })
            }
            let response = StoredResponse(
                status: stored.status, body: try WireJSON.encode(body.with(dropOffs ?? [:], for: principal)))
            let pins = try deliveries.filter(\.needsPIN).compactMap { delivery in
                try self.messages.newPIN(of: delivery.id).map { (delivery: delivery.id, sealed: $0) }
            }
            let messages = relay.batch(
                of: try deliveries.flatMap {
                    try self.messages.messages(for: .init(delivery: $0), cause: "placed", at: order.placedAt)
                })
            var statements = try insertions(of: order, deliveries, dropOff, by: principal)
            if !pins.isEmpty { statements.append(PINRepository.insert(pins)) }
            statements.append(IdempotencyKeys.insert(stored, to: request, of: order.id))
            try await transaction.commit(with: statements + messages.insertion)
            return (response: response, isReplayed: false, messages: messages)
        }
    }

    /// The original answer with the present doors, names, addresses and notes, as a read of the order shows them.
    ///
    /// These are stored with the deliveries alone, for as long as those need them, so that no former one is kept.
    private func withDropOffs(
        _ stored: StoredResponse, for reader: Principal, in transaction: PostgresTransaction
    ) async throws -> StoredResponse {
        let body = try WireJSON.decode(OrderBody.self, from: stored.body)
        let dropOffs = try await OrderRepository.dropOffs(
            of: body.deliveries.map(\.id), opening: personalData, on: transaction)
        let doors = try await OrderRepository.doors(of: body.deliveries.map(\.id), on: transaction)
        return StoredResponse(
            status: stored.status, body: try WireJSON.encode(body.with(dropOffs, for: reader).with(doors: doors)))
    }

    /// The statements that store the order and its deliveries, with their timelines and timers.
    private func insertions(
        of order: Order, _ deliveries: [Delivery], _ dropOff: DropOff?, by principal: Principal
    ) throws -> [SQL] {
        let placed = deliveries.map { delivery in
            let entry = TimelineEntry(
                at: order.placedAt, version: delivery.version, kind: "placed", summary: "placed",
                by: principal.recordedName,
                reason: nil)
            return (delivery: delivery.id, entry: entry)
        }
        let timers = deliveries.flatMap { DeliveryTimers.timers(for: $0, after: nil, at: order.placedAt) }
        return [try OrderRepository.insert(order)]
            + (try deliveries.map { try OrderRepository.insert($0, dropOff, by: personalData) }) + [
                try OrderRepository.insert(placed)
            ]
            + DurableTimer.scheduling(timers)
    }

    /// The proofs of every delivery of the order: its own, or else its store's, and the check of its hand-off.
    func requiredProofs(of body: PlaceOrderBody) -> Set<ProofKind> {
        var kinds = body.requires.map { Set($0) } ?? proofRules.ofOrder(at: body.store.id)
        // An order that asks for a PIN in the former way is still taken where none can be made, and not held to it.
        if let check = body.handoff?.verification.proof, check != .pin || messages.pins != nil { kinds.insert(check) }
        return kinds
    }

    /// The proofs of an item besides those of its order, sorted; nil for none.
    func requiredProofs(of line: PlaceOrderBody.Line, at store: StoreID) -> [ProofKind]? {
        let ofClass = line.class.map { proofRules.ofItem(class: $0, at: store) } ?? []
        let kinds = ofClass.union(line.requires ?? [])
        return kinds.isEmpty ? nil : kinds.sorted()
    }

    /// A line of a basket, or one that is added to it, which the store has yet to pick.
    func item(_ line: PlaceOrderBody.Line, at store: StoreID) -> Item {
        Item(
            id: line.id, name: line.name, quantity: line.quantity ?? 1, ifUnavailable: line.ifUnavailable ?? .refund,
            requires: requiredProofs(of: line, at: store))
    }

    /// - Parameter brand: the store's on the order's cards; nil for none.
    private func makeOrder(from body: PlaceOrderBody, _ brand: StoreBrand?) -> (Order, [Delivery]) {
        let now = clock.now
        let orderID = OrderID(makeUUID())
        let required = requiredProofs(of: body)
        let deliveries = body.deliveries.enumerated().map { index, part in
            Delivery(
                id: DeliveryID(makeUUID()), order: orderID, reference: body.reference, customer: body.customer,
                store: body.store, bag: Bag(number: index + 1, count: body.deliveries.count), door: body.door,
                promise: part.promise ?? body.promise, handoff: body.handoff ?? .inHand,
                items: part.items.map { item($0, at: body.store.id) },
                placedAt: now,
                proof: required.isEmpty && part.barcode == nil
                    ? nil : DeliveryProof(required: required, barcode: part.barcode),
                language: body.language, brand: brand)
        }
        let order = Order(
            id: orderID, reference: body.reference, customer: body.customer, store: body.store, placedAt: now,
            language: body.language, deliveries: deliveries.map(\.id))
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
