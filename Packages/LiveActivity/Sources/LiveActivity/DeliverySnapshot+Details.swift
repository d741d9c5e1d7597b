extension DeliverySnapshot {
    /// What a customer reads who asks for details, line by line: what became of each item, then why the delivery went
    /// wrong, what comes next, and what is refunded in all where one item's refund is not all of it.
    public var details: [Phrase] {
        items.map { $0.line(afterPicking: isPicked) } + (why + next).map { Phrase([$0]) }
            + (refundsAreSeveral ? refundTotal.map { [Phrase(.refundTotal, ["refund": $0.value])] } ?? [] : [])
    }

    /// Whether its picking is over: an item that nobody reported is then in the bag for all that is known.
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

    /// Why it went wrong, where the shop says so.
    var why: [PhrasePart] { reason.map { [($0.code, [:])] } ?? [] }

    /// What comes next after it went wrong, where the shop says so.
    var next: [PhrasePart] { nextStep.map { [($0.code, ["store": store])] } ?? [] }
}

extension DeliverySnapshot.Item {
    /// What became of the item, as a line of its own.
    fileprivate func line(afterPicking: Bool) -> Phrase {
        var values = ["item": name]
        if quantity > 1 { values["quantity"] = String(quantity) }
        if let refund, refund.minorUnits > 0 { values["refund"] = refund.value }
        if let substitute {
            values["substitute"] = substitute.name
            if substitute.quantity > 1 { values["substitutes"] = String(substitute.quantity) }
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
