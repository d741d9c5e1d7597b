import Foundation
import LiveActivity
import OrderDomain

/// The decoded form of a deep link: one verb for one delivery, until it expires.
struct Link: Hashable, Sendable {
    let delivery: DeliveryID
    let verb: Verb
    let target: Target
    /// Domain time in whole seconds since 1970; a link of a live delivery is valid beyond it, see ``end(of:)``.
    let expiresAt: UInt32

    /// The verb's object within the delivery.
    enum Target: Hashable, Sendable {
        case delivery
        /// An episode of the delivery, by the lowest byte of its number: a reopened delivery has other links.
        case episode(UInt8)
        /// The handoff in an episode, by the lowest byte of the number of its changes: after each change the delivery has
        /// other links.
        case handoff(episode: UInt8, changes: UInt8)
        /// The delivery, for any holder of the link, by the number of its view links since the last revocation, from 1.
        case view(number: UInt16)
        /// A proposal, by the item's index in the basket and the proposal's number: a later proposal has other links.
        case proposal(item: UInt8, number: UInt8)
    }
}

extension Link {
    /// Hours that a link outlives its promise, or its delivery's end where that is later.
    static let hoursAfterPromise = 24.0
    /// The highest number of a link that only shows a delivery.
    static let viewNumberMax = Int(UInt16.max)

    /// The link that only shows a delivery.
    ///
    /// It contains no expiry: a sent text message cannot change when the promise moves, so ``viewEnd(of:)`` computes
    /// its end.
    static func view(of delivery: DeliveryID, number: UInt16) -> Link {
        Link(delivery: delivery, verb: .details, target: .view(number: number), expiresAt: .max)
    }

    /// Whether it was made for others to see the delivery, and may be revoked.
    var isShared: Bool { if case .view = target { true } else { false } }

    /// When links that only show a delivery end: after its promise, or after its end where that is later.
    ///
    /// - Returns: nil while the delivery is live, which they show however late it is.
    static func viewEnd(of delivery: Delivery) -> Date? {
        viewEnd(promiseEnd: delivery.promise.end, endedAt: delivery.endedAt)
    }

    static func viewEnd(promiseEnd: Date, endedAt: Date?) -> Date? {
        endedAt.map { max(promiseEnd, $0).addingTimeInterval(hoursAfterPromise * 3600) }
    }

    /// When the link ends: a day after its promise or its delivery's end, and that of feedback with the time for it.
    ///
    /// - Returns: nil while the delivery is live, whose customer may press however late it is.
    func end(of delivery: Delivery) -> Date? {
        guard let viewEnd = Self.viewEnd(of: delivery) else { return nil }
        if isShared { return viewEnd }
        let ownEnd = Date(timeIntervalSince1970: TimeInterval(expiresAt))
        return verb == .feedback ? ownEnd : max(ownEnd, viewEnd)
    }

    /// The link that shows a delivery to its customer.
    static func details(of delivery: DeliveryID, promiseEnd: Date) -> Link {
        Link(
            delivery: delivery, verb: .details, target: .delivery, expiresAt: expiry(afterPromise: promiseEnd))
    }

    private static func expiry(afterPromise end: Date) -> UInt32 { expiry(hoursAfterPromise * 3600, after: end) }

    private static func expiry(_ seconds: TimeInterval, after date: Date) -> UInt32 {
        UInt32(clamping: Int(date.addingTimeInterval(seconds).timeIntervalSince1970))
    }

    /// The links that a customer may press now; the same links as long as the same verbs are legal.
    static func legal(for delivery: Delivery) -> [Link] {
        let usual = expiry(afterPromise: delivery.promise.end)
        // The end of the time for feedback.
        let last = delivery.endKnownAt.map { expiry(DeliveryFeedback.windowSeconds, after: $0) }
        return Verb.allCases.flatMap { verb in
            let expiresAt = verb == .feedback ? last ?? usual : usual
            return legalTargets(of: verb, for: delivery).map {
                Link(delivery: delivery.id, verb: verb, target: $0, expiresAt: expiresAt)
            }
        }
    }

    /// Whether the verb can be carried out now.
    func isLegal(for delivery: Delivery) -> Bool {
        // Whether it was revoked is not the delivery's to know.
        isShared || Self.legalTargets(of: verb, for: delivery).contains(target)
    }

    /// Whether the delivery still is as a press of the link has made it.
    ///
    /// A handoff may have been changed again, an answered item reported otherwise, a cancelled delivery reopened or
    /// returned; and goods that do not come any more are neither swapped nor handed over.
    func isInEffect(for delivery: Delivery) -> Bool {
        let comes = !delivery.status.isEnded && delivery.status != .handedOver(.returning)
        return switch verb {
        case .leaveAtDoor: comes && delivery.handoff.method == .leaveAtDoor
        case .handToMe: comes && delivery.handoff.method == .handToCustomer
        case .approveSubstitution:
            comes
                && proposedItem(in: delivery).map {
                    $0.status == .substituted && $0.hasUnaskedSubstitute != true
                } ?? false
        case .refuseSubstitution: proposedItem(in: delivery)?.status == .refunded
        case .cancel: delivery.status == .handedOver(.cancelled)
        case .details, .contactCourier, .feedback: true
        }
    }

    private static func legalTargets(of verb: Verb, for delivery: Delivery) -> [Target] {
        let episode = UInt8(truncatingIfNeeded: delivery.episode)
        let handoff = Target.handoff(
            episode: episode, changes: UInt8(truncatingIfNeeded: delivery.handoffChanges ?? 0))
        switch verb {
        case .details:
            return [.delivery]
        case .contactCourier:
            // Customers may call their courier from pickup to the end.
            guard case .handedOver(let tail) = delivery.status, !tail.isEnd else { return [] }
            return delivery.courier?.phone != nil ? [.delivery] : []
        case .leaveAtDoor:
            guard delivery.handoff.method == .handToCustomer, delivery.handoff.verification == .none,
                !delivery.requiredProofs.contains(where: \.needsPerson)
            else { return [] }
            switch delivery.status {
            case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving): return [handoff]
            case .handedOver: return []
            }
        case .handToMe:
            guard case .preparing = delivery.status, delivery.handoff.method == .leaveAtDoor else { return [] }
            return [handoff]
        case .approveSubstitution, .refuseSubstitution:
            guard case .preparing = delivery.status else { return [] }
            return delivery.items.indices.compactMap { index in
                let item = delivery.items[index]
                guard item.status == .substituteProposed, index <= Int(UInt8.max) else { return nil }
                return .proposal(item: UInt8(index), number: UInt8(truncatingIfNeeded: item.proposals))
            }
        case .cancel:
            guard case .preparing = delivery.status else { return [] }
            return [.episode(episode)]
        case .feedback:
            guard delivery.status == .handedOver(.delivered), delivery.feedback?.settledAt == nil else { return [] }
            return [.episode(episode)]
        }
    }
}
