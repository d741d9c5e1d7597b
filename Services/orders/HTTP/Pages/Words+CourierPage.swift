import InterfaceTexts
import LiveActivity
import OrderDomain

/// Texts of a courier's page that depend on a delivery, in the reader's language.
extension Words {
    func status(_ delivery: Delivery) -> String {
        if let carrier = delivery.fetchedFrom { return texts("courier.status.fetching", ["carrier": carrier.name]) }
        return texts("courier.status.\(Self.code(delivery.status))")
    }

    private static func code(_ status: DeliveryStatus) -> String {
        switch status {
        case .preparing(.staged, .atStore): "at_store_packed"
        case .preparing(.staged, _): "packed"
        case .preparing(_, .atStore): "at_store"
        case .preparing: "being_packed"
        case .handedOver(.pickedUp), .handedOver(.enRoute): "with_courier"
        case .handedOver(let tail): tail.code.rawValue
        }
    }

    func bag(_ bag: Bag, items: Int) -> String {
        let pieces = texts("courier.items", ["items": String(items)])
        guard bag.count > 1 else { return pieces }
        return texts("courier.bag_of", ["number": String(bag.number), "count": String(bag.count)]) + ", " + pieces
    }

    /// The instruction at the door; nil for a handover to any person who opens.
    func handoff(_ handoff: Handoff) -> String? {
        if handoff.method == .leaveAtDoor { return texts("courier.leave_at_door") }
        return handoff.verification == .none ? nil : texts("courier.verify.\(handoff.verification.rawValue)")
    }

    /// The proofs that the courier still has to check before the hand-over; nil for nothing.
    func missing(_ kinds: [ProofKind]) -> String? {
        guard !kinds.isEmpty else { return nil }
        let names = kinds.map(name(of:))
        return texts("courier.proofs", ["proofs": names.joined(separator: ", ")])
    }

    func name(of kind: ProofKind) -> String { texts("courier.proof.\(kind.rawValue)") }

    func button(_ action: CourierAction) -> String {
        if case .problem(let problem) = action { return texts("courier.problem.\(problem.rawValue)") }
        return texts("courier.press.\(action.rawValue)")
    }

    /// The line for a waiting press, which can be undone still.
    func waiting(_ action: CourierAction) -> String { texts("courier.waiting", ["action": button(action)]) }

    /// The button for several stops at once.
    func button(_ group: StopGroup) -> String {
        var values = ["action": button(group.action), "count": String(group.deliveries.count)]
        values["place"] = group.place
        return texts("courier.all", values)
    }

    /// The line for waiting presses that were made at once.
    func waiting(_ action: CourierAction, count: Int) -> String {
        texts("courier.waiting_all", ["action": button(action), "count": String(count)])
    }

    /// The line for a press without an effect, since the delivery had changed.
    func notDone(_ action: CourierAction) -> String { texts("courier.not_done", ["action": button(action)]) }
}
