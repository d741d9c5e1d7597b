import Crypto
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// Describes a deep link, and executes it when the link's own customer presses it.
struct PressLink: Sendable {
    let signer: LinkSigner
    let change: ChangeDelivery
    let clock: DomainClock
    let faces: StoreFaces

    enum Refusal: Error, Sendable {
        /// Forged, signed with an unknown key, or another customer's: a caller cannot distinguish them.
        case notFound
        case expired
        /// The link was shared to show the delivery, and has been revoked.
        case revoked
        /// The verb is no longer legal; with the link's body and the present card.
        case stale(LinkBody)
    }

    /// Describes the link; it changes nothing, so a link preview may fetch it.
    ///
    /// - Parameter reader: the principal of the token sent with the link; only the link's own customer receives the
    ///   courier's phone and the order's number, by which a page recognises its customer.
    func show(_ token: String, for reader: Principal?) async throws -> LinkBody {
        let (link, record) = try await valid(token)
        _ = try await faces(record.delivery.store.id)
        let isCustomer = if case .customer = reader?.subject { reader?.sees(record.delivery) == true } else { false }
        return body(of: link, for: record, isCustomer: isCustomer)
    }

    /// A valid link with its delivery.
    ///
    /// - Parameter read: reads the delivery, with the number of its valid view links.
    func valid(
        _ token: String, reading read: (DeliveryID) async throws -> PageRepository.Read?
    ) async throws -> (link: Link, record: DeliveryRecord) {
        let link = try link(from: token)
        guard let found = try await read(link.delivery) else { throw refusalWithoutDelivery(of: link) }
        try check(link, of: found.record.delivery, viewLinks: found.viewLinks)
        return (link, found.record)
    }

    /// A valid link with its delivery, read by this call.
    func valid(_ token: String) async throws -> (link: Link, record: DeliveryRecord) {
        try await valid(token) { delivery in
            try await PageRepository.read([delivery], opening: change.personalData, on: change.pool)[delivery]
        }
    }

    /// Whether the link's verb was carried out.
    func isPressed(_ token: String) async throws -> Bool {
        try await LinkPresses.response(to: Self.hash(of: token), on: change.pool) != nil
    }

    private static func hash(of token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }

    /// Executes the link's verb once; a repeat gets the first response.
    func press(_ token: String, by customer: Principal) async throws -> StoredResponse {
        let link = try link(from: token)
        // Before the transaction, in which no other connection is waited for.
        if try await faces.areAny,
            let record = try await OrderRepository.delivery(link.delivery, opening: nil, on: change.pool)
        {
            _ = try await faces(record.delivery.store.id)
        }
        let hash = Self.hash(of: token)
        let (response, hasChanged) = try await change.pool.withTransaction(retriesMax: 3) { transaction in
            try await press(link, hash: hash, by: customer, in: transaction)
        }
        if hasChanged { change.wake() }
        return response
    }

    private func press(
        _ link: Link, hash: [UInt8], by customer: Principal, in transaction: PostgresTransaction
    ) async throws -> (StoredResponse, hasChanged: Bool) {
        // Locked first, so that presses of one link run one after the other.
        guard
            let record = try await OrderRepository.lockedDelivery(
                link.delivery, opening: change.personalData, in: transaction)
        else { throw refusalWithoutDelivery(of: link) }
        guard customer.sees(record.delivery) else { throw Refusal.notFound }
        let viewLinks = link.isShared ? try await ViewLinkRepository.number(of: link.delivery, on: transaction) : nil
        try check(link, of: record.delivery, viewLinks: viewLinks)
        if !link.verb.isView, let first = try await LinkPresses.response(to: hash, on: transaction) {
            return (first, false)
        }
        guard link.isLegal(for: record.delivery) else {
            throw Refusal.stale(body(of: link, for: record, isCustomer: true))
        }
        guard let requested = deliveryChange(of: link, for: record.delivery) else {
            return (try response(to: link, with: record), false)
        }
        let outcome: ChangeDelivery.Outcome
        do {
            outcome = try await change(
                link.delivery, by: customer, in: transaction,
                overtakesPress: link.verb == .cancel || link.verb == .approveSubstitution
            ) { _ in requested }
        } catch is ChangeRefusal {
            // The courier's press, which still waits, counts first; the record is the one before it.
            throw Refusal.stale(body(of: link, for: record, isRefused: true, isCustomer: true))
        }
        let response = try response(to: link, with: outcome.record)
        try await transaction.execute(
            LinkPresses.insert(response, to: hash, of: link.delivery, verb: link.verb, at: clock.now))
        return (response, outcome.hasChanged)
    }

    private func link(from token: String) throws -> Link {
        guard let link = signer.link(from: token) else { throw Refusal.notFound }
        return link
    }

    /// Expired where the delivery may have been deleted because its time is over.
    private func refusalWithoutDelivery(of link: Link) -> Refusal {
        Int(link.expiresAt) > clock.now.epochSeconds ? .notFound : .expired
    }

    private func check(_ link: Link, of delivery: Delivery, viewLinks: Int?) throws {
        if case .view(let number) = link.target, viewLinks != Int(number) { throw Refusal.revoked }
        if let end = link.end(of: delivery), end <= clock.now { throw Refusal.expired }
    }

    /// Nil for a view, which changes nothing.
    private func deliveryChange(of link: Link, for delivery: Delivery) -> DeliveryChange? {
        switch link.verb {
        case .details, .contactCourier, .feedback: nil
        case .leaveAtDoor: .leaveAtDoor
        case .handToMe: .handToCustomer
        case .approveSubstitution, .refuseSubstitution:
            link.proposedItem(in: delivery).map {
                .answer($0.id, proposal: $0.proposals, isApproved: link.verb == .approveSubstitution)
            }
        case .cancel:
            .status(.cancelled, reason: "the customer cancelled", notice: CustomerNotice(reason: .customerRequest))
        }
    }

    private func response(to link: Link, with record: DeliveryRecord) throws -> StoredResponse {
        let body = body(of: link, for: record, isDone: true, isCustomer: true)
        return StoredResponse(status: 200, body: try WireJSON.encode(body))
    }

    /// - Parameter isRefused: whether the verb, legal for the record, was refused.
    private func body(
        of link: Link, for record: DeliveryRecord, isDone: Bool = false, isRefused: Bool = false,
        isCustomer: Bool = false
    ) -> LinkBody {
        var record = record
        // Within a transaction no other connection is waited for: the callers have read the face.
        record.delivery = record.delivery.with(faces.known(record.delivery.store.id)?.face)
        let delivery = record.delivery
        let isLegal = !isRefused && link.isLegal(for: delivery)
        let step = change.messages.intent(for: record, at: clock.now).step
        var content = step.content
        // Answers are stored for repeats, and no PIN is stored readable.
        content.pin = nil
        // The holder of a shared link may only view.
        if link.isShared { content.buttons = [] }
        return LinkBody(
            verb: link.verb, delivery: delivery.id,
            message: isDone
                ? link.confirmation(for: delivery) : link.prompt(for: delivery, withReference: isCustomer),
            isPressable: isLegal && !link.verb.isView,
            why: isLegal || isDone ? nil : link.rejection(for: delivery),
            phone: isCustomer && link.verb == .contactCourier && isLegal
                ? delivery.courier.flatMap(change.personalData.phone) : nil,
            attributes: isCustomer ? step.attributes : step.attributes.withoutReference, content: content,
            details: link.verb == .details ? details(of: record, isCustomer: isCustomer) : nil,
            store: delivery.store.contact?.links)
    }

    /// The lines of the details; where the goods go and what the courier was asked is for their customer alone.
    private func details(of record: DeliveryRecord, isCustomer: Bool) -> [Phrase] {
        let snapshot = DeliverySnapshot(record.delivery, links: [])
        let dropOff = isCustomer ? record.dropOff : nil
        let store = record.delivery.store
        return snapshot.handoffLines(address: dropOff?.address?.line, note: dropOff?.note) + snapshot.details
            + Phrase.contactLines(
                of: store.name, phone: store.contact?.phone, web: store.contact?.url, email: store.contact?.email)
    }
}

extension GroceryDeliveryAttributes {
    /// The attributes for a holder of the link alone.
    var withoutReference: GroceryDeliveryAttributes {
        GroceryDeliveryAttributes(
            card: card, activity: activity, delivery: delivery, reference: nil, store: store, bag: bag,
            itemCount: itemCount, promise: promise, timeZone: timeZone, shop: shop)
    }
}
