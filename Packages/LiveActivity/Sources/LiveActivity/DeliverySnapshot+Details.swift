extension DeliverySnapshot {
    /// The details for a customer, line by line: each item's outcome, then the outcome of the delivery.
    public var details: [Phrase] { itemLines + outcomeLines }

    /// Each item's outcome, a line for an item.
    public var itemLines: [Phrase] { items.map { $0.line(afterPicking: isPicked) } }

    /// The reason of a failure, the next step, and the total refund where it exceeds one item's refund.
    public var outcomeLines: [Phrase] {
        (why + next).map { Phrase([$0]) }
            + (refundsAreSeveral ? refundTotal.map { [Phrase(.refundTotal, ["refund": $0.value])] } ?? [] : [])
    }

    /// The promised window, how the goods are handed over and with which proofs, where, and the customer's note, line
    /// by line.
    ///
    /// A delivery that is not expected, as on the way back, on hold or handed over by word, has neither the window nor
    /// the handoff. An ended one has the window that was promised first, against which its lateness is measured.
    /// - Parameters:
    ///   - address: the customer's own; nil for any other reader, and where the order has none.
    ///   - note: as the address.
    public func handoffLines(address: String?, note: String?) -> [Phrase] {
        let window = isEnded ? originalPromise : promise
        let promised = ["from": String(window.from), "to": String(window.to)]
        var lines: [Phrase] = []
        if isExpected || isEnded { lines.append(Phrase(.detailsPromised, promised)) }
        if isExpected { lines += [Phrase(isLeftAtDoor ? .leftAtDoor : .detailsHanded)] + proofLines }
        if let address { lines.append(Phrase(.detailsAddress, ["address": address])) }
        if let note { lines.append(Phrase(.detailsNote, ["note": note])) }
        return lines
    }

    /// Whether its picking is over: an unreported item then counts as in the bag.
    private var isPicked: Bool {
        switch status {
        case .placed, .accepted, .picking: false
        case .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning, .delivered, .returned,
            .cancelled,
            .failed:
            true
        }
    }

    private var refundsAreSeveral: Bool { refund != nil || items.count { $0.refund != nil } > 1 }

    /// The reason of the failure, where the shop gives one.
    var why: [PhrasePart] {
        if reason == .notVerified, isAgeRefused { return [(.reasonAgeRefused, [:])] }
        return reason.map { [($0.code, [:])] } ?? []
    }

    /// The next step after the failure, where the shop gives one.
    var next: [PhrasePart] { nextStep.map { [($0.code, ["store": store])] } ?? [] }
}

extension DeliverySnapshot.Item {
    /// The item's outcome, as a line of its own.
    fileprivate func line(afterPicking: Bool) -> Phrase {
        var values = ["item": name]
        if quantity > 1 { values["quantity"] = String(quantity) }
        if let refund, refund.minorUnits > 0 { values["refund"] = refund.value }
        if let substitute {
            values["substitute"] = substitute.name
            if substitute.quantity > 1 || quantity > 1 { values["substitutes"] = String(substitute.quantity) }
            if let difference = substitute.priceDifference, difference.minorUnits != 0 {
                values[difference.minorUnits > 0 ? "more" : "less"] = difference.value
            }
        }
        if state == .short { values["packed"] = String(found) }
        return Phrase(afterPicking && state == .pending ? .lineOrdered : code, values)
    }

    private var code: PhraseCode {
        switch state {
        case .pending: .linePending
        case .found: .lineFound
        case .short: .lineShort
        case .proposed: .lineProposed
        case .substituted: .lineSubstituted
        case .soldOut: .lineSoldOut
        case .removed: .lineRemoved
        case .refunded: .lineRefunded
        }
    }
}

extension DeliverySnapshot.Reason {
    var code: PhraseCode {
        switch self {
        case .nobodyHome: .reasonNobodyHome
        case .addressNotFound: .reasonAddressNotFound
        case .noAccess: .reasonNoAccess
        case .notVerified: .reasonNotVerified
        case .notAccepted: .reasonNotAccepted
        case .damaged: .reasonDamaged
        case .lost: .reasonLost
        case .noCourier: .reasonNoCourier
        case .storeProblem: .reasonStoreProblem
        case .outOfStock: .reasonOutOfStock
        case .paymentFailed: .reasonPaymentFailed
        case .weather: .reasonWeather
        case .customerRequest: .reasonCustomerRequest
        }
    }

    /// Whether an attempt failed for another reason than that the customer could not be reached: they were met, or the
    /// goods could not be given to them.
    var isApartFromReaching: Bool {
        switch self {
        case .notVerified, .notAccepted, .damaged, .lost: true
        case .nobodyHome, .addressNotFound, .noAccess, .noCourier, .storeProblem, .outOfStock, .paymentFailed, .weather,
            .customerRequest:
            false
        }
    }
}

extension DeliverySnapshot.NextStep {
    var code: PhraseCode {
        switch self {
        case .redelivery: .nextRedelivery
        case .storeContacts: .nextStoreContacts
        case .collectAtStore: .nextCollectAtStore
        case .orderAgain: .nextOrderAgain
        }
    }
}
