extension DeliverySnapshot {
    /// The most buttons that fit in a row on the Lock Screen.
    static let buttonsMax = 3

    /// The links worth a button now, the most useful first.
    ///
    /// The snapshot has only links whose verbs are legal; this chooses among them and never adds one.
    var buttons: [CardButton] {
        verbs.lazy
            .compactMap { verb in links.first { $0.verb == verb } }
            .prefix(Self.buttonsMax)
            .map { link in
                let title = TextCatalogue.english.title(
                    link.verb, courier: courier, difference: proposal?.priceDifference)
                return CardButton(verb: link.verb.rawValue, title: title, url: link.url)
            }
    }

    private var verbs: [Verb] {
        if isWaitingForCustomer { return [.approveSubstitution, .refuseSubstitution, .details] }
        if isOnHold, !isEnded { return [.contactCourier, .details, .cancel] }
        switch status {
        case .placed, .accepted: return leave + [.details, .cancel]
        case .picking: return leave + [.contactCourier, .details, .cancel]
        case .staged, .pickedUp, .enRoute, .arriving: return leave + [.contactCourier, .details]
        case .atDoor, .attempted, .returning: return [.contactCourier, .details]
        case .delivered: return [.feedback, .details]
        case .returned, .cancelled, .failed: return [.details]
        }
    }

    private var leave: [Verb] { [isLeftAtDoor ? .handToMe : .leaveAtDoor] }
}
