extension DeliverySnapshot {
    /// As many as fit beside one another on the Lock Screen.
    static let buttonsMax = 3

    /// The links worth a button now, the most useful first.
    ///
    /// The snapshot has only links whose verbs are legal; this chooses among them and never adds one.
    var buttons: [CardButton] {
        let english = EnglishWords()
        return verbs.lazy
            .compactMap { verb in links.first { $0.verb == verb } }
            .prefix(Self.buttonsMax)
            .map { link in
                let title = english.title(link.verb, courier: courier, difference: proposal?.priceDifference)
                return CardButton(verb: link.verb.rawValue, title: title, url: link.url)
            }
    }

    private var verbs: [Verb] {
        if isWaitingForCustomer { return [.approveSubstitution, .refuseSubstitution, .details] }
        if isOnHold, !isEnded { return [.details, .contactCourier, .cancel] }
        switch status {
        case .placed, .accepted: return leave + [.details, .cancel]
        case .picking: return leave + [.contactCourier, .details, .cancel]
        case .staged, .pickedUp, .enRoute, .arriving: return leave + [.contactCourier, .details]
        case .atDoor, .attempted: return [.contactCourier, .details]
        case .returning: return [.details, .contactCourier]
        case .delivered, .returned, .cancelled, .failed: return [.details]
        }
    }

    private var leave: [Verb] { isLeftAtDoor ? [] : [.leaveAtDoor] }
}

extension WordTable {
    /// A button's words: a courier who has a name is contacted by it, and a swap says what it costs.
    func title(_ verb: Verb, courier: Courier?, difference: Amount?) -> String {
        switch verb {
        case .contactCourier:
            courier.flatMap { fill(contactNamed, ["courier": $0.name]) } ?? self.verb(verb)
        case .approveSubstitution: approval(difference, more: .approveMore, less: .approveLess) ?? self.verb(verb)
        case .details, .leaveAtDoor, .refuseSubstitution, .cancel: self.verb(verb)
        }
    }

    /// The same in fewer words, where there are any.
    func shortTitle(_ verb: Verb, difference: Amount?) -> String {
        switch verb {
        case .approveSubstitution:
            approval(difference, more: .approveMoreShort, less: .approveLessShort) ?? shortVerb(verb)
        case .details, .contactCourier, .leaveAtDoor, .refuseSubstitution, .cancel: shortVerb(verb)
        }
    }

    private func approval(_ difference: Amount?, more: CardLabel, less: CardLabel) -> String? {
        guard let difference, difference.minorUnits != 0 else { return nil }
        return fill(label(difference.minorUnits > 0 ? more : less), ["difference": difference.value])
    }

    private func fill(_ template: String, _ values: [String: String]) -> String? {
        PhraseTemplate(template).text(values, in: self, for: nil)
    }
}
