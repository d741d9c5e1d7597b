import Crypto
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// Shows what a deep link stands for, and does it when its own customer presses it.
struct PressLink: Sendable {
    let signer: LinkSigner
    let change: ChangeDelivery
    let clock: DomainClock

    /// What to answer a press: its status and body, the same for every repeat.
    struct Answer: Sendable {
        let status: Int
        let body: Data
    }

    enum Refusal: Error, Sendable {
        /// Forged, of an unknown key, or not this customer's: all the same from outside.
        case notFound
        case expired
        /// It cannot be done any more; the card as it is.
        case stale(LinkBody)
    }

    /// What the link stands for; never changes anything, so a preview may fetch it.
    func show(_ token: String) async throws -> LinkBody {
        let link = try live(token)
        guard let stored = try await OrderRepository.delivery(link.delivery, on: change.pool) else {
            throw Refusal.notFound
        }
        return body(link, stored)
    }

    /// Does what the link says, once; a repeat gets the first answer.
    func press(_ token: String, by customer: Actor) async throws -> Answer {
        let link = try live(token)
        let hash = Array(SHA256.hash(data: Data(token.utf8)))
        let (answer, hasChanged) = try await change.pool.withTransaction { transaction in
            // Locked first: two presses of one link come one after the other.
            guard let stored = try await OrderRepository.lockedDelivery(link.delivery, in: transaction),
                customer.sees(stored.delivery)
            else { throw Refusal.notFound }
            if !link.verb.isView, let first = try await Self.firstAnswer(hash, in: transaction) {
                return (first, false)
            }
            guard link.isLegal(for: stored.delivery) else { throw Refusal.stale(body(link, stored)) }
            guard let asked = deliveryChange(link, of: stored.delivery) else {
                return (Answer(status: 200, body: try WireJSON.encode(body(link, stored, isDone: true))), false)
            }
            let outcome: ChangeDelivery.Outcome
            do {
                outcome = try await change.change(
                    link.delivery, by: customer, in: transaction, decide: { _ in asked })
            } catch is ChangeRefused {
                throw Refusal.stale(body(link, stored))
            }
            let answer = Answer(
                status: 200, body: try WireJSON.encode(body(link, outcome.stored, isDone: true)))
            try await transaction.execute(
                """
                INSERT INTO link_presses (link_hash, delivery_id, status, body)
                VALUES (\(hash), \(link.delivery.rawValue), \(answer.status), \([UInt8](answer.body)))
                """)
            return (answer, outcome.hasChanged)
        }
        if hasChanged { change.wake() }
        return answer
    }

    private func live(_ token: String) throws -> Link {
        guard let link = signer.link(from: token) else { throw Refusal.notFound }
        guard Int(link.expiresAt) > clock.now.epochSeconds else { throw Refusal.expired }
        return link
    }

    private static func firstAnswer(_ hash: [UInt8], in transaction: PostgresTransaction) async throws -> Answer? {
        try await transaction.query("SELECT status, body FROM link_presses WHERE link_hash = \(hash)").first.map {
            Answer(status: try $0.decode("status"), body: Data(try $0.decode("body", as: [UInt8].self)))
        }
    }

    /// Nil for a view, which changes nothing.
    private func deliveryChange(_ link: Link, of delivery: Delivery) -> DeliveryChange? {
        switch link.verb {
        case .details, .contactCourier: nil
        case .leaveAtDoor: .leaveAtDoor
        case .approveSubstitution, .refuseSubstitution:
            Self.proposed(link, in: delivery).map {
                .answer($0.id, proposal: $0.proposals, isApproved: link.verb == .approveSubstitution)
            }
        case .cancel: .status(.cancelled, reason: "the customer cancelled")
        }
    }

    private static func proposed(_ link: Link, in delivery: Delivery) -> Item? {
        guard case .proposal(let index, _) = link.about, delivery.items.indices.contains(Int(index)) else { return nil }
        return delivery.items[Int(index)]
    }

    private func body(_ link: Link, _ stored: OrderRepository.Stored, isDone: Bool = false) -> LinkBody {
        let delivery = stored.delivery
        let isLegal = link.isLegal(for: delivery)
        let step = change.announcement.intents.intent(
            for: delivery, links: signer.links(for: delivery), estimate: stored.estimate
        ).step
        return LinkBody(
            verb: link.verb, delivery: delivery.id,
            message: isDone ? done(link, delivery) : asking(link, delivery), isPressable: isLegal && !link.verb.isView,
            why: isLegal || isDone ? nil : whyNot(link, delivery),
            phone: link.verb == .contactCourier && isLegal ? delivery.courier?.phone : nil,
            attributes: step.attributes, content: step.content)
    }

    // MARK: Words

    private func asking(_ link: Link, _ delivery: Delivery) -> String {
        let item = Self.proposed(link, in: delivery)
        let substitute = item?.substitute?.name ?? "the substitute"
        let ordered = item?.name ?? "the item"
        switch link.verb {
        case .details: return "Order \(delivery.reference) from \(delivery.store.name)"
        case .contactCourier: return "Contact \(delivery.courier?.name ?? "the courier")"
        case .leaveAtDoor: return "Ask for order \(delivery.reference) to be left at the door"
        case .approveSubstitution: return "Take \(substitute) instead of \(ordered)"
        case .refuseSubstitution: return "Refuse \(substitute) and get \(ordered) refunded"
        case .cancel: return "Cancel this delivery of order \(delivery.reference)"
        }
    }

    private func done(_ link: Link, _ delivery: Delivery) -> String {
        let item = Self.proposed(link, in: delivery)
        let substitute = item?.substitute?.name ?? "the substitute"
        let ordered = item?.name ?? "the item"
        switch link.verb {
        case .details, .contactCourier: return asking(link, delivery)
        case .leaveAtDoor: return "Asked \(delivery.courier?.name ?? "the courier") to leave it at the door"
        case .approveSubstitution: return "\(substitute) comes instead of \(ordered)"
        case .refuseSubstitution: return "\(ordered) will be refunded"
        case .cancel: return "This delivery of order \(delivery.reference) is cancelled"
        }
    }

    private func whyNot(_ link: Link, _ delivery: Delivery) -> String {
        switch link.verb {
        case .details: return "It can always be looked at"
        case .contactCourier:
            return delivery.status.isEnded ? "The delivery has ended" : "No courier can be called for it now"
        case .leaveAtDoor:
            if delivery.handoff.method == .leaveAtDoor { return "It is already to be left at the door" }
            if delivery.handoff.verification != .none {
                return "The courier must check \(delivery.handoff.verification.rawValue) at the door"
            }
            return delivery.status.isEnded ? "The delivery has ended" : "The courier is already at the door"
        case .approveSubstitution, .refuseSubstitution:
            return "This question is no longer open"
        case .cancel:
            return delivery.status.isEnded
                ? "The delivery has ended" : "The courier already has the groceries; contact the store instead"
        }
    }
}
