extension Order {
    /// The reference of an erased order.
    public static let erasedReference = "erased"

    /// The order without its customer: for rows that late messages and statistics still meet.
    public func erased(as pseudonym: CustomerID) -> Order {
        Order(
            id: id, reference: Self.erasedReference, customer: pseudonym, store: store, placedAt: placedAt,
            deliveries: deliveries)
    }
}

extension Delivery {
    /// The ended delivery without its customer, at the same version.
    ///
    /// It keeps what reports count: store, courier, times, end, the code of a failure, and whether the customer was
    /// content. Texts, the basket and the door go; the door becomes the store's position.
    public func erased(as pseudonym: CustomerID) -> Delivery {
        var erased = Delivery(
            id: id, order: order, reference: Order.erasedReference, customer: pseudonym, store: store, bag: bag,
            door: store.location, promise: originalPromise, handoff: handoff, items: [], placedAt: placedAt)
        erased.promise = promise
        erased.promisedAt = promisedAt
        erased.status = status
        erased.flags = flags.subtracting([.disputed, .needsCustomer])
        erased.courier = courier.map { Courier(id: $0.id, name: $0.name, vehicle: $0.vehicle, phone: nil) }
        erased.assignmentEpoch = assignmentEpoch
        erased.version = version
        erased.episode = episode
        erased.statusSince = statusSince
        erased.pickingSince = pickingSince
        erased.pickedUpAt = pickedUpAt
        erased.endedAt = endedAt
        erased.reopenedFrom = reopenedFrom
        erased.customerReason = customerReason
        erased.nextStep = nextStep
        erased.feedback = feedback?.withoutItems
        return erased
    }
}

extension DeliveryFeedback {
    /// The same word about the whole delivery.
    fileprivate var withoutItems: DeliveryFeedback {
        DeliveryFeedback(kind: kind, items: [], at: at, opensDispute: false, settledAt: settledAt)
    }
}
