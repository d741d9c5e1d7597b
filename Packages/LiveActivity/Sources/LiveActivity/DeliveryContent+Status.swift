extension GroceryDeliveryAttributes {
    /// The constant attributes of a delivery's card.
    public init(_ delivery: DeliverySnapshot) {
        self.init(
            activity: delivery.activity, delivery: delivery.delivery, reference: delivery.reference,
            store: delivery.store, bag: delivery.bag, itemCount: delivery.itemCount, promise: delivery.originalPromise,
            timeZone: delivery.timeZone, shop: delivery.shop)
    }
}

extension GroceryDeliveryAttributes.ContentState {
    /// A card's content for a delivery in this status with these flags.
    ///
    /// - Parameters:
    ///   - arrival: the estimated arrival; omitted where the status or a hold make it untrue.
    ///   - legProgress: the completed share of the leg from store to door, 0 to 1, where the writer knows.
    ///   - step: orders the contents of one version; 0 is that of the status alone.
    public init(_ delivery: DeliverySnapshot, arrival: Window?, legProgress: Double? = nil, step: Int) {
        let shownArrival = delivery.isComing ? arrival : nil
        self.init(
            headline: delivery.headline,
            phase: delivery.phase,
            progress: delivery.progress(legProgress),
            arrival: shownArrival,
            courier: delivery.shownCourier,
            detail: delivery.detail(hasArrival: shownArrival != nil),
            flags: delivery.shownFlags.map(\.rawValue).sorted(),
            buttons: delivery.buttons,
            revision: Revision(version: delivery.version, step: step),
            pin: delivery.shownPIN)
    }
}

extension DeliverySnapshot {
    var isEnded: Bool {
        switch status {
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning:
            false
        case .delivered, .returned, .cancelled, .failed: true
        }
    }

    /// The phase by precedence: an end, then a problem, then the place nearest the door.
    var phase: Phase {
        switch status {
        case .delivered, .returned, .cancelled, .failed: .ended
        case .attempted, .returning: .problem
        case .placed, .accepted: isOnHold ? .problem : .received
        case .picking: isOnHold ? .problem : .picking
        case .staged: isOnHold ? .problem : .packed
        case .pickedUp, .enRoute: isOnHold ? .problem : .onTheWay
        case .arriving: isOnHold ? .problem : .arriving
        case .atDoor: isOnHold ? .problem : .atDoor
        }
    }

    /// A question beats a hold, since only the customer can answer it; a hold beats silence; both beat the status.
    var headline: Phrase {
        if isWaitingForCustomer { return question }
        if isOnHold, !isEnded { return Phrase(.onHold) }
        switch status {
        case .placed: return Phrase(.placed)
        case .accepted: return Phrase(.accepted, ["store": store])
        case .picking: return Phrase(.picking, ["store": store])
        case .staged: return Phrase(.staged)
        case .pickedUp: return isSilent ? silence : handOver ?? named(.pickedUp, or: .pickedUpUnnamed)
        case .enRoute: return isSilent ? silence : handOver ?? named(.enRoute, or: .enRouteUnnamed)
        case .arriving: return isSilent ? silence : named(.arriving, or: .arrivingUnnamed)
        case .atDoor: return isHandedOver ? Phrase(.handedOver) : named(.atDoor, or: .atDoorUnnamed)
        case .attempted: return handOver ?? attempt(by: courier)
        case .returning: return Phrase(.returning, ["store": store])
        case .delivered: return Phrase(isLeftAtDoor ? .deliveredAtDoor : .delivered, ["at": String(endedOrStatusSince)])
        case .returned: return Phrase(.returned, ["store": store])
        case .cancelled: return Phrase(.cancelled)
        case .failed: return Phrase(.failed)
        }
    }

    /// 0 to 1; exact at the marks (1/3 and 2/3), rounded to a thousandth between them.
    func progress(_ legProgress: Double?) -> Double {
        switch status {
        case .placed, .accepted, .cancelled, .returned: 0
        case .picking: Self.mark(0, plus: itemCount > 0 ? Double(foundCount) / Double(itemCount) : 0)
        case .staged: Self.mark(1, plus: 0)
        case .pickedUp: Self.mark(2, plus: Self.beforeDoor(legProgress ?? 0))
        case .enRoute: Self.mark(2, plus: Self.beforeDoor(legProgress ?? 0.25))
        case .arriving: Self.mark(2, plus: max(0.75, Self.beforeDoor(legProgress ?? 0.75)))
        case .returning, .failed: Self.mark(2, plus: 0)
        case .atDoor, .attempted, .delivered: 1
        }
    }

    private static func mark(_ thirds: Int, plus fraction: Double) -> Double {
        let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        if fraction == 0 { return Double(thirds) / 3 }
        return ((Double(thirds) + fraction) / 3 * 1000).rounded(.down) / 1000
    }

    /// Limits the progress before the door: only a delivery at the door fills the line.
    private static func beforeDoor(_ fraction: Double) -> Double { min(fraction, 0.95) }

    /// Whether the delivery moves toward its customer: only then an arrival, and the stops before it, are true.
    public var isComing: Bool {
        switch status {
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving: !isOnHold
        case .atDoor, .attempted, .returning, .delivered, .returned, .cancelled, .failed: false
        }
    }

    /// Whether the customer may expect the goods: while they come, and at the door.
    var isExpected: Bool { isComing || status == .atDoor && !isOnHold && !isHandedOver }

    var shownCourier: Courier? {
        guard !isEnded, let courier else { return nil }
        return Courier(
            name: courier.name, vehicle: courier.vehicle,
            stopsBefore: isComing ? courier.stopsBefore.flatMap { $0 > 0 ? $0 : nil } : nil,
            silentSince: isSilent ? courier.silentSince : nil,
            isTracked: courierTracking == .tracked ? nil : false)
    }

    // MARK: Flags

    var shownFlags: Set<Flag> { courierTracking == .tracked ? flags : flags.subtracting([.courierSilent]) }

    var isOnHold: Bool { flags.contains(.onHold) }
    var isWaitingForCustomer: Bool { flags.contains(.needsCustomer) && !isEnded }
    /// Whether the courier is silent: an untracked courier never is.
    var isSilent: Bool { flags.contains(.courierSilent) && !isEnded && courierTracking == .tracked }
    /// When it ended, or since when it has its status.
    var endedOrStatusSince: Int { endedAt ?? statusSince }
    /// Since when its end is known, or since when it has its status.
    var endKnownOrStatusSince: Int { max(endedOrStatusSince, endKnownAt ?? endedOrStatusSince) }

    /// The question that waits for the customer's answer, with the number of pieces unless one replaces one.
    var question: Phrase {
        guard let proposal else { return Phrase(.needsCustomer, ["store": store]) }
        var values = ["substitute": proposal.substitute, "item": proposal.item]
        if let difference = proposal.priceDifference { values["difference"] = difference.value }
        guard proposal.quantity > 1 || proposal.ordered > 1 else { return Phrase(.substituteProposed, values) }
        values["quantity"] = String(proposal.quantity)
        return Phrase(.substitutesProposed, values)
    }

    var silence: Phrase {
        var values: [String: String] = [:]
        if let since = courier?.silentSince { values["since"] = String(since) }
        guard let courier else { return Phrase(.courierSilentUnnamed, values) }
        values["courier"] = courier.name
        return Phrase(.courierSilent, values)
    }

    /// The hand-over that is due between two couriers; nil where the courier has the goods.
    private var handOver: Phrase? {
        guard let fetchedFrom, let courier else { return nil }
        return Phrase(.fetching, ["courier": courier.name, "carrier": fetchedFrom])
    }

    /// The phrase with the courier's name where there is one.
    func named(_ code: PhraseCode, or unnamed: PhraseCode) -> Phrase { Self.named(courier, code, or: unnamed) }

    /// The headline of a failed attempt: that the customer was not reached or, for another reason, that nothing was
    /// delivered.
    ///
    /// - Parameter courier: who made the attempt; nil where that is not known.
    func attempt(by courier: Courier?) -> Phrase {
        reason?.isApartFromReaching == true
            ? Phrase(.failed) : Self.named(courier, .attempted, or: .attemptedUnnamed)
    }

    private static func named(_ courier: Courier?, _ code: PhraseCode, or unnamed: PhraseCode) -> Phrase {
        courier.map { Phrase(code, ["courier": $0.name]) } ?? Phrase(unnamed)
    }
}
