import Crypto
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// Shows what a deep link does, and does it when the link's own customer presses it.
struct PressLink: Sendable {
    let signer: LinkSigner
    let change: ChangeDelivery
    let clock: DomainClock

    enum Refusal: Error, Sendable {
        /// Forged, signed with an unknown key, or another customer's: a caller cannot tell which.
        case notFound
        case expired
        /// It was made for others to see the delivery, and revoked since.
        case revoked
        /// The verb is not legal any more; the link's body with the card as it is now.
        case stale(LinkBody)
    }

    /// What the link does; changes nothing, so a link preview may fetch it.
    ///
    /// - Parameter reader: whose token came with the link; the courier's number is for the link's own customer.
    /// - Returns: with whether it only shows the delivery, to whoever has it.
    func show(_ token: String, for reader: Principal?) async throws -> (body: LinkBody, isShared: Bool) {
        let link = try validLink(from: token)
        guard let record = try await OrderRepository.delivery(link.delivery, on: change.pool) else {
            throw Refusal.notFound
        }
        try await checkShared(link, of: record.delivery, on: change.pool)
        let isCustomer = if case .customer = reader?.subject { reader?.sees(record.delivery) == true } else { false }
        return (body(of: link, for: record, hasPhone: isCustomer), link.isShared)
    }

    /// Carries out the link's verb once; a repeat gets the first response.
    func press(_ token: String, by customer: Principal) async throws -> StoredResponse {
        let link = try validLink(from: token)
        let hash = Array(SHA256.hash(data: Data(token.utf8)))
        let (response, hasChanged) = try await change.pool.withTransaction { transaction in
            try await press(link, hash: hash, by: customer, in: transaction)
        }
        if hasChanged { change.wake() }
        return response
    }

    private func press(
        _ link: Link, hash: [UInt8], by customer: Principal, in transaction: PostgresTransaction
    ) async throws -> (StoredResponse, hasChanged: Bool) {
        // Locked first, so that presses of one link run one after the other.
        guard let record = try await OrderRepository.lockedDelivery(link.delivery, in: transaction),
            customer.sees(record.delivery)
        else { throw Refusal.notFound }
        try await checkShared(link, of: record.delivery, on: transaction)
        if !link.verb.isView, let first = try await LinkPresses.response(to: hash, on: transaction) {
            return (first, false)
        }
        guard link.isLegal(for: record.delivery) else { throw Refusal.stale(body(of: link, for: record)) }
        guard let requested = deliveryChange(of: link, for: record.delivery) else {
            return (try response(to: link, with: record), false)
        }
        let outcome: ChangeDelivery.Outcome
        do {
            outcome = try await change(link.delivery, by: customer, in: transaction) { _ in requested }
        } catch is ChangeRefusal {
            throw Refusal.stale(body(of: link, for: record))
        }
        let response = try response(to: link, with: outcome.record)
        try await transaction.execute(LinkPresses.insert(response, to: hash, of: link.delivery))
        return (response, outcome.hasChanged)
    }

    private func validLink(from token: String) throws -> Link {
        guard let link = signer.link(from: token) else { throw Refusal.notFound }
        guard Int(link.expiresAt) > clock.now.epochSeconds else { throw Refusal.expired }
        return link
    }

    private func checkShared(
        _ link: Link, of delivery: Delivery, on database: some PostgresExecutor
    ) async throws {
        guard case .view(let number) = link.target else { return }
        guard try await ViewLinkRepository.number(of: link.delivery, on: database) == Int(number) else {
            throw Refusal.revoked
        }
        if let end = Link.viewEnd(of: delivery), end <= clock.now { throw Refusal.expired }
    }

    /// Nil for a view, which changes nothing.
    private func deliveryChange(of link: Link, for delivery: Delivery) -> DeliveryChange? {
        switch link.verb {
        case .details, .contactCourier: nil
        case .leaveAtDoor: .leaveAtDoor
        case .approveSubstitution, .refuseSubstitution:
            link.proposedItem(in: delivery).map {
                .answer($0.id, proposal: $0.proposals, isApproved: link.verb == .approveSubstitution)
            }
        case .cancel:
            .status(.cancelled, reason: "the customer cancelled", notice: CustomerNotice(reason: .customerRequest))
        }
    }

    private func response(to link: Link, with record: DeliveryRecord) throws -> StoredResponse {
        let body = body(of: link, for: record, isDone: true, hasPhone: true)
        return StoredResponse(status: 200, body: try WireJSON.encode(body))
    }

    private func body(
        of link: Link, for record: DeliveryRecord, isDone: Bool = false, hasPhone: Bool = false
    ) -> LinkBody {
        let delivery = record.delivery
        let isLegal = link.isLegal(for: delivery)
        let step = change.messages.intent(for: record, at: clock.now).step
        var content = step.content
        // Whoever has it only looks.
        if link.isShared { content.buttons = [] }
        let details = link.verb == .details ? DeliverySnapshot(delivery, links: []).details : nil
        return LinkBody(
            verb: link.verb, delivery: delivery.id,
            message: isDone ? link.confirmation(for: delivery) : link.prompt(for: delivery),
            isPressable: isLegal && !link.verb.isView,
            why: isLegal || isDone ? nil : link.rejection(for: delivery),
            phone: hasPhone && link.verb == .contactCourier && isLegal ? delivery.courier?.phone : nil,
            attributes: step.attributes, content: content, details: details)
    }
}
