import Foundation

extension Delivery {
    /// Applies the store's report that an item was found, is missing, or has a substitute.
    ///
    /// - Parameter refund: the customer's refund, which the store may also report after pickup; nil keeps the present
    ///   one, as long as as much is missing as before.
    mutating func changeItem(
        _ id: ItemID, _ change: ItemChange, refundMinorUnits refund: Int?, at now: Date
    ) throws(ChangeRefusal) {
        guard let index = items.firstIndex(where: { $0.id == id }) else {
            throw .unknownItem(id, known: items.map(\.id))
        }
        var item = items[index]
        guard case .preparing = status else {
            guard let refund, item.isReported(by: change) else { throw .notInStore }
            items[index].refundMinorUnits = refund
            return
        }
        switch item.status {
        case .removed, .refunded: if item.status != change.status { throw .itemSettled(id, item.status) }
        case .pending, .found, .short, .substituteProposed, .substituted, .outOfStock: break
        }
        var answerUntil: Date?
        item.hasUnaskedSubstitute = nil
        switch change {
        case .found(let quantity):
            guard (0...item.quantity).contains(quantity) else { throw .wrongQuantity(id, ordered: item.quantity) }
            item.foundQuantity = quantity
            item.status = quantity == 0 ? .outOfStock : quantity < item.quantity ? .short : .found
            item.substitute = nil
        case .outOfStock:
            item.foundQuantity = 0
            item.status = .outOfStock
            item.substitute = nil
        case .proposed(let substitute, let until):
            // The same proposal again, also after the customer has accepted it, is no other question.
            if items[index].asks(about: substitute) { return }
            guard until <= promise.end || !promise.boundsAnswer(at: now) else {
                throw .answerAfterPromise(promise.end)
            }
            item.substitute = substitute
            item.status = .substituteProposed
            item.foundQuantity = 0
            item.proposals += 1
            answerUntil = until
        case .substituted(let substitute):
            if item.proposals > 0, !items[index].asks(about: substitute) { item.hasUnaskedSubstitute = true }
            item.substitute = substitute
            item.status = .substituted
            item.foundQuantity = 0
        case .removed:
            item.foundQuantity = 0
            item.status = .removed
            item.substitute = nil
        case .refunded:
            item.foundQuantity = 0
            item.status = .refunded
            item.substitute = nil
        }
        // Another number of missing goods has a refund of its own.
        let former = items[index].foundQuantity == item.foundQuantity ? item.refundMinorUnits : nil
        item.refundMinorUnits = item.isMissing ? refund ?? former : nil
        items[index] = item
        // Goods that came back need a person again, whom the customer may have been asked to leave them without.
        if handoff.method == .leaveAtDoor, requiredProofs.contains(where: \.needsPerson) { try handToCustomer() }
        updateNeedsCustomer(until: answerUntil)
    }

    /// Applies the customer's answer to one proposal.
    mutating func answer(_ id: ItemID, proposal: Int, isApproved: Bool) throws(ChangeRefusal) {
        guard let index = items.firstIndex(where: { $0.id == id }) else {
            throw .unknownItem(id, known: items.map(\.id))
        }
        let item = items[index]
        guard proposal > 0, item.proposals == proposal else { throw .staleProposal(id) }
        let answered: ItemStatus = isApproved ? .substituted : .refunded
        // The same answer again is no change; the other one comes too late.
        if item.status == answered, item.hasUnaskedSubstitute != true { return }
        guard case .preparing = status else { throw .notInStore }
        guard item.status == .substituteProposed else { throw .itemSettled(id, item.status) }
        items[index].status = answered
        updateNeedsCustomer(until: nil)
    }

    /// Refunds a proposal without an answer: customers never pay for an item that they did not choose.
    mutating func answerOverdue(_ id: ItemID, proposal: Int) {
        guard case .preparing = status, let index = items.firstIndex(where: { $0.id == id }) else { return }
        guard items[index].status == .substituteProposed, items[index].proposals == proposal else { return }
        items[index].status = .refunded
        updateNeedsCustomer(until: nil)
    }

    /// Sets the flag and its deadline by whether a proposal is open; of several proposals the latest deadline counts.
    mutating func updateNeedsCustomer(until deadline: Date?) {
        guard proposedItem != nil else {
            flags.remove(.needsCustomer)
            needsCustomerUntil = nil
            return
        }
        flags.insert(.needsCustomer)
        guard let deadline else { return }
        let isAlone = items.count { $0.status == .substituteProposed } == 1
        needsCustomerUntil = isAlone ? deadline : max(deadline, needsCustomerUntil ?? deadline)
    }
}

extension Item {
    /// Whether the customer gets less than ordered.
    fileprivate var isMissing: Bool {
        switch status {
        case .pending, .found, .substituteProposed, .substituted: false
        case .short, .outOfStock, .removed, .refunded: true
        }
    }

    /// Whether the customer is asked about exactly this substitute, or has accepted it.
    fileprivate func asks(about other: Substitute) -> Bool {
        status.hasSubstitute && proposals > 0 && hasUnaskedSubstitute != true && substitute == other
    }

    /// Whether the item is already as the change reports it.
    fileprivate func isReported(by change: ItemChange) -> Bool {
        switch change {
        // None found is out of stock.
        case .found(let quantity):
            foundQuantity == quantity && (status == .short || quantity == 0 && status == .outOfStock)
        case .outOfStock, .removed, .refunded: status == change.status
        case .proposed, .substituted: false
        }
    }
}

extension ItemChange {
    fileprivate var status: ItemStatus? {
        switch self {
        case .found, .proposed, .substituted: nil
        case .outOfStock: .outOfStock
        case .removed: .removed
        case .refunded: .refunded
        }
    }
}
