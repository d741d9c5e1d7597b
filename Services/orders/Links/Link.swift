import Foundation
import LiveActivity
import OrderDomain

/// What a deep link stands for: one verb about one delivery, until it expires.
struct Link: Hashable, Sendable {
    let delivery: DeliveryID
    let verb: Verb
    let about: About
    /// Domain time in whole seconds since 1970.
    let expiresAt: UInt32

    /// What within the delivery the verb is about.
    enum About: Hashable, Sendable {
        case delivery
        /// An episode of the delivery, by the lowest byte of its number: after it was reopened, other links.
        case episode(UInt8)
        /// A proposal, by the item's place in the basket and the proposal's number: a later proposal has other links.
        case proposal(item: UInt8, number: UInt8)
    }
}

extension Link {
    /// Hours that a link outlives its promise.
    static let hoursAfterPromise = 24.0

    /// What a customer may press now, the same links as long as the same things are legal.
    static func legal(for delivery: Delivery) -> [Link] {
        let end = delivery.promise.end.addingTimeInterval(hoursAfterPromise * 3600)
        let expiresAt = UInt32(clamping: Int(end.timeIntervalSince1970))
        return Verb.allCases.flatMap { verb in
            abouts(of: verb, for: delivery).map {
                Link(delivery: delivery.id, verb: verb, about: $0, expiresAt: expiresAt)
            }
        }
    }

    /// Whether a press would do something now.
    func isLegal(for delivery: Delivery) -> Bool {
        Self.abouts(of: verb, for: delivery).contains(about)
    }

    private static func abouts(of verb: Verb, for delivery: Delivery) -> [About] {
        let episode = About.episode(UInt8(truncatingIfNeeded: delivery.episode))
        switch verb {
        case .details:
            return [.delivery]
        case .contactCourier:
            // Customers know their courier from pickup on, and until the end.
            guard case .handedOver(let tail) = delivery.status, !tail.isEnd else { return [] }
            return delivery.courier?.phone != nil ? [.delivery] : []
        case .leaveAtDoor:
            guard delivery.handoff.method == .handToCustomer, delivery.handoff.verification == .none else { return [] }
            switch delivery.status {
            case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving): return [episode]
            case .handedOver: return []
            }
        case .approveSubstitution, .refuseSubstitution:
            guard case .preparing = delivery.status else { return [] }
            return delivery.items.indices.compactMap { index in
                let item = delivery.items[index]
                guard item.status == .substituteProposed, index <= Int(UInt8.max) else { return nil }
                return .proposal(item: UInt8(index), number: UInt8(truncatingIfNeeded: item.proposals))
            }
        case .cancel:
            guard case .preparing = delivery.status else { return [] }
            return [episode]
        }
    }
}
