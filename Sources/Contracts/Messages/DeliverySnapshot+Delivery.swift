public import LiveActivity
public import OrderDomain
import WireCoding

extension DeliverySnapshot {
    /// The snapshot that renders a delivery's card.
    ///
    /// - Parameters:
    ///   - silentSince: when the courier's last fix was received, in epoch seconds; nil where the writer does not know.
    ///   - standingSince: the start of the courier's unexpected stop, in epoch seconds; nil for a stop too short to
    ///     show.
    ///   - hasPhone: whether a phone of the courier has sent a fix or could; true where the writer cannot know.
    ///   - withinMetres: the bound of the courier's distance to the door; nil for a card that shows none.
    ///   - pin: the customer's, sealed; nil for a reader who is not given it.
    public init(
        _ delivery: Delivery, links: [DeliveryLink], silentSince: Int? = nil, standingSince: Int? = nil,
        hasPhone: Bool = true, withinMetres: Int? = nil, pin: String? = nil
    ) {
        let isSilent = delivery.flags.contains(.courierSilent)
        // An operator has decided: nothing about the end is looked into any more.
        let isDecided = delivery.status.isEnded && delivery.disputedAt == nil
        self.init(
            activity: ActivityID(delivery.id, episode: delivery.episode).rawValue,
            delivery: delivery.id.rawValue,
            reference: delivery.reference,
            store: delivery.brand?.name ?? delivery.store.name,
            timeZone: delivery.store.timeZone,
            bag: .init(number: delivery.bag.number, count: delivery.bag.count),
            itemCount: delivery.itemCount,
            foundCount: delivery.foundCount,
            substitutedCount: delivery.substitutedCount,
            status: Status(delivery.status),
            courierStatus: delivery.status.courierStatus.map(CourierStatus.init),
            flags: Set(delivery.flags.filter { $0 != .disputed || !isDecided }.map { Flag($0) }),
            courier: delivery.courier.map {
                LiveActivity.Courier(
                    name: $0.name, vehicle: $0.vehicle.rawValue,
                    stopsBefore: delivery.stopsBefore > 0 ? delivery.stopsBefore : nil,
                    silentSince: isSilent ? silentSince : nil)
            },
            promise: Window(delivery.promise),
            originalPromise: Window(delivery.originalPromise),
            isLeftAtDoor: delivery.handoff.method == .leaveAtDoor,
            proposal: delivery.proposedItem.flatMap { item in
                item.substitute.map {
                    Proposal(
                        id: "\(item.id)-\(item.proposals)", item: item.name, substitute: $0.name, quantity: $0.quantity,
                        ordered: item.quantity, answerUntil: delivery.needsCustomerUntil.map(\.epochSeconds),
                        priceDifference: delivery.store.amount($0.priceDifferenceMinorUnits))
                }
            },
            links: links.compactMap { link in Verb(rawValue: link.verb).map { Link(verb: $0, url: link.url) } },
            version: delivery.version,
            statusSince: delivery.statusSince.epochSeconds,
            endedAt: delivery.endedAt?.epochSeconds,
            pickingSince: delivery.pickingSince?.epochSeconds, standingSince: standingSince,
            items: delivery.items.map { Item($0, in: delivery.store) },
            reason: delivery.customerReason.map(Reason.init),
            nextStep: delivery.nextStep.map(NextStep.init),
            refund: delivery.store.amount(delivery.refundMinorUnits),
            courierTracking: delivery.store.tracksCouriers == false ? .untracked : hasPhone ? .tracked : .withoutPhone,
            fetchedFrom: delivery.fetchedFrom?.name, proofs: Self.proofs(of: delivery), pin: pin,
            reopenedFrom: delivery.reopenedFrom.flatMap { Status(rawValue: $0.rawValue) },
            withinMetres: withinMetres, shop: delivery.brand.flatMap(GroceryDeliveryAttributes.Shop.init),
            formerApproaches: delivery.formerApproaches ?? 0, isHandedOver: delivery.proof?.handedOverAt != nil,
            endKnownAt: delivery.endKnownAt?.epochSeconds)
    }

    private static func proofs(of delivery: Delivery) -> [Proof] {
        delivery.requiredProofs.map { kind in
            let state: Proof.State =
                switch delivery.proof?.result(of: kind)?.outcome {
                case .passed, .waived: .met
                case .refused: .refused
                case nil: .missing
                }
            return Proof(kind: Proof.Kind(kind), state: state)
        }
    }
}

extension DeliverySnapshot.Proof.Kind {
    fileprivate init(_ kind: ProofKind) {
        switch kind {
        case .pin: self = .pin
        case .photo: self = .photo
        case .signature: self = .signature
        case .age: self = .age
        case .barcode: self = .barcode
        }
    }
}

extension Delivery {
    /// Whether its customer's screens show an arrival: from the pickup on, while it moves toward them.
    public var showsArrival: Bool { pickedUpAt != nil && DeliverySnapshot(self, links: []).isComing }
}

extension GroceryDeliveryAttributes.Shop {
    /// Nil for a brand without a colour.
    fileprivate init?(_ brand: StoreBrand) {
        guard brand.light != nil || brand.dark != nil else { return nil }
        self.init(light: brand.light?.description, dark: brand.dark?.description)
    }
}

extension Store {
    /// The amount in the store's currency; nil for none, and where the shop has not named its currency.
    fileprivate func amount(_ minorUnits: Int?) -> Amount? {
        guard let minorUnits, minorUnits != 0, let currency else { return nil }
        return Amount(minorUnits: minorUnits, currency: currency.rawValue)
    }
}

extension DeliverySnapshot.Item {
    fileprivate init(_ item: OrderDomain.Item, in store: Store) {
        let substitute = item.substitute.map {
            DeliverySnapshot.Substitute(
                name: $0.name, quantity: $0.quantity, priceDifference: store.amount($0.priceDifferenceMinorUnits))
        }
        let state = State(item.status)
        self.init(
            name: item.name, quantity: item.quantity, state: state, found: item.foundQuantity,
            substitute: state == .proposed || state == .substituted ? substitute : nil,
            refund: store.amount(item.refundMinorUnits))
    }
}

extension DeliverySnapshot.Item.State {
    fileprivate init(_ status: ItemStatus) {
        switch status {
        case .pending: self = .pending
        case .found: self = .found
        case .short: self = .short
        case .substituteProposed: self = .proposed
        case .substituted: self = .substituted
        case .outOfStock: self = .soldOut
        case .removed: self = .removed
        case .refunded: self = .refunded
        }
    }
}

extension DeliverySnapshot.Reason {
    fileprivate init(_ reason: CustomerReason) {
        switch reason {
        case .nobodyHome: self = .nobodyHome
        case .addressNotFound: self = .addressNotFound
        case .noAccess: self = .noAccess
        case .notVerified: self = .notVerified
        case .notAccepted: self = .notAccepted
        case .damaged: self = .damaged
        case .lost: self = .lost
        case .noCourier: self = .noCourier
        case .storeProblem: self = .storeProblem
        case .outOfStock: self = .outOfStock
        case .paymentFailed: self = .paymentFailed
        case .weather: self = .weather
        case .customerRequest: self = .customerRequest
        }
    }
}

extension DeliverySnapshot.NextStep {
    fileprivate init(_ step: OrderDomain.NextStep) {
        switch step {
        case .redelivery: self = .redelivery
        case .storeContacts: self = .storeContacts
        case .collectAtStore: self = .collectAtStore
        case .orderAgain: self = .orderAgain
        }
    }
}

extension Window {
    public init(_ promise: Promise) {
        self.init(from: promise.start.epochSeconds, to: promise.end.epochSeconds)
    }
}

extension DeliverySnapshot.Status {
    fileprivate init(_ status: DeliveryStatus) {
        switch status {
        case .preparing(.placed, _): self = .placed
        case .preparing(.accepted, _): self = .accepted
        case .preparing(.picking, _): self = .picking
        case .preparing(.staged, _): self = .staged
        case .handedOver(.pickedUp): self = .pickedUp
        case .handedOver(.enRoute): self = .enRoute
        case .handedOver(.arriving): self = .arriving
        case .handedOver(.atDoor): self = .atDoor
        case .handedOver(.attempted): self = .attempted
        case .handedOver(.returning): self = .returning
        case .handedOver(.delivered): self = .delivered
        case .handedOver(.returned): self = .returned
        case .handedOver(.cancelled): self = .cancelled
        case .handedOver(.failed): self = .failed
        }
    }
}

extension DeliverySnapshot.CourierStatus {
    fileprivate init(_ status: CourierStatus) {
        switch status {
        case .unassigned: self = .unassigned
        case .assigned: self = .assigned
        case .toStore: self = .toStore
        case .atStore: self = .atStore
        }
    }
}

extension DeliverySnapshot.Flag {
    fileprivate init(_ flag: Flag) {
        switch flag {
        case .delayed: self = .delayed
        case .rescheduled: self = .rescheduled
        case .onHold: self = .onHold
        case .needsCustomer: self = .needsCustomer
        case .courierSilent: self = .courierSilent
        case .batched: self = .batched
        case .reassigning: self = .reassigning
        case .disputed: self = .disputed
        }
    }
}
