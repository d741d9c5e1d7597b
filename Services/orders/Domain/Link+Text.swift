import CardPresentation
import LiveActivity
import OrderDomain

/// The texts of a link's page.
extension Link {
    /// The question before a press, in English.
    ///
    /// - Parameter withReference: whether the text may contain the order's number.
    func prompt(for delivery: Delivery, withReference: Bool = true) -> String {
        let (item, substitute) = proposedNames(in: delivery)
        let order = withReference ? "order \(delivery.reference)" : "the order"
        switch verb {
        case .details:
            return
                "\(withReference ? "Order \(delivery.reference)" : "Your order") from \(delivery.store.name.isolatedName)"
        case .contactCourier: return "Contact \(delivery.courier?.name.isolatedName ?? "the courier")"
        case .leaveAtDoor: return "Ask for \(order) to be left at the door"
        case .handToMe: return "Ask for \(order) to be handed to you"
        case .approveSubstitution: return "Take \(substitute) instead of \(item)" + priceDifference(in: delivery)
        case .refuseSubstitution: return "Refuse \(substitute) and get \(item) refunded"
        case .cancel: return "Cancel this delivery of \(order)"
        case .feedback: return "Was everything of \(order) all right?"
        }
    }

    /// The confirmation after a press, in English.
    func confirmation(for delivery: Delivery) -> String {
        let (item, substitute) = proposedNames(in: delivery)
        switch verb {
        case .details, .contactCourier, .feedback: return prompt(for: delivery)
        case .leaveAtDoor:
            let courier = delivery.pickedUpAt == nil ? nil : delivery.courier?.name.isolatedName
            return "Asked \(courier ?? "the courier") to leave it at the door"
        case .handToMe: return "It will be handed to you, and not left at the door"
        case .approveSubstitution: return "\(substitute) comes instead of \(item)" + priceDifference(in: delivery)
        case .refuseSubstitution: return "\(item) will be refunded"
        case .cancel: return "This delivery of order \(delivery.reference) is cancelled"
        }
    }

    /// Why the verb is no longer legal; nil for a verb that always is.
    func rejection(for delivery: Delivery) -> String? {
        switch verb {
        case .details: return nil
        case .contactCourier:
            return delivery.status.isEnded ? "The delivery has ended" : "No courier can be called for it now"
        case .leaveAtDoor:
            switch delivery.status {
            case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving): break
            case .handedOver(.atDoor): return "The courier is already at the door"
            case .handedOver(.attempted): return "The courier was at the door already"
            case .handedOver(.returning): return "The groceries are on their way back to the store"
            case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed):
                return "The delivery has ended"
            }
            if delivery.handoff.method == .leaveAtDoor { return "It is already to be left at the door" }
            if delivery.handoff.verification != .none {
                return "The courier must check \(delivery.handoff.verification.rawValue) at the door"
            }
            if let proof = delivery.requiredProofs.first(where: \.needsPerson) {
                return "The courier must check \(proof.rawValue) at the door"
            }
            return Self.overtakenHandoff
        case .handToMe:
            if delivery.handoff.method == .handToCustomer { return "It is already to be handed to you" }
            if case .preparing = delivery.status { return Self.overtakenHandoff }
            return delivery.status.isEnded ? "The delivery has ended" : "The courier already has the groceries"
        case .approveSubstitution, .refuseSubstitution:
            return "This question is no longer open"
        case .feedback:
            return delivery.feedback?.settledAt == nil
                ? "Nothing was delivered" : "The store has decided about it already"
        case .cancel:
            return delivery.status.isEnded
                ? "The delivery has ended" : "The courier already has the groceries; contact the store instead"
        }
    }

    /// Why a link of a former handoff does not count, while another one of the same verb does.
    private static let overtakenHandoff = "The hand-over was changed after this was offered"

    /// The item whose last proposal the link is about; nil for other links, and where the basket has no such item.
    func proposedItem(in delivery: Delivery) -> Item? {
        guard case .proposal(let index, let number) = target, delivery.items.indices.contains(Int(index)) else {
            return nil
        }
        let item = delivery.items[Int(index)]
        return UInt8(truncatingIfNeeded: item.proposals) == number ? item : nil
    }

    /// `: 4.50 kr. more`; empty for the same price, and where the difference or its currency is not known.
    private func priceDifference(in delivery: Delivery) -> String {
        guard let difference = proposedSwap(in: delivery).difference, difference.minorUnits != 0 else { return "" }
        return ": \(Words(locale: "en").text(difference)) \(difference.minorUnits > 0 ? "more" : "less")"
    }

    private func proposedNames(in delivery: Delivery) -> (item: String, substitute: String) {
        let swap = proposedSwap(in: delivery)
        return (swap.item ?? "the item", swap.substitute ?? "the substitute")
    }

    /// The swap that the link is about, its names as they stand in a sentence.
    ///
    /// Without a substitute where the store has packed another one, about which no link asks.
    func proposedSwap(in delivery: Delivery) -> ProposedSwap {
        let item = proposedItem(in: delivery)
        let asked: Item? = item?.hasUnaskedSubstitute == true ? nil : item
        let difference = asked?.substitute.flatMap { substitute in
            delivery.store.currency.map {
                Amount(minorUnits: substitute.priceDifferenceMinorUnits, currency: $0.rawValue)
            }
        }
        return ProposedSwap(
            item: item?.name.isolatedName, substitute: asked.flatMap { Self.substitute(of: $0) },
            difference: difference)
    }

    /// `2 × Oat milk`; without the number of pieces where one replaces one.
    private static func substitute(of item: Item) -> String? {
        item.substitute.map { substitute in
            let isCounted = substitute.quantity > 1 || item.quantity > 1
            return (isCounted ? "\(substitute.quantity) × " : "") + substitute.name.isolatedName
        }
    }
}

/// The substitute with its number of pieces, the item that it replaces, and the price difference; nil where the link is
/// about no swap, or where they are unknown.
struct ProposedSwap: Hashable, Sendable {
    let item: String?
    let substitute: String?
    /// The customer's extra charge, or the discount if negative.
    let difference: Amount?
}
