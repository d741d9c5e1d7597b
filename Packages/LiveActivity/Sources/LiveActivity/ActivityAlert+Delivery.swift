extension DeliverySnapshot {
    /// The alert of a delivery's state; nil for a state without one.
    ///
    /// A delivery on hold, or with a silent courier, raises no alert that it is near; the release, or the courier's
    /// next fix, does. One that was handed over by the courier's word raises none at the door. The id names the event
    /// and not its writer, so that both services that write an activity give it the same; that of nearness names the
    /// approach, of which only a later one has a number.
    func alert(arrival: Window?, keptFor dismissal: Dismissal?) -> ActivityAlert? {
        if isWaitingForCustomer { return questionAlert }
        switch status {
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute: return delayedAlert
        case .arriving where isOnHold || isSilent, .atDoor where isOnHold || isHandedOver: return nil
        case .arriving:
            let approach = formerApproaches > 0 ? "arriving/\(formerApproaches)" : "arriving"
            return alert(
                approach, until: arrival?.to ?? statusSince + 15 * 60, named(.arriving, or: .arrivingUnnamed),
                isLeftAtDoor ? Phrase(.leftAtDoor) : Phrase(.alertNear, ["store": store]))
        case .atDoor:
            return alert(
                "at-door/\(statusSince)", until: statusSince + 15 * 60, named(.atDoor, or: .atDoorUnnamed),
                Phrase(isLeftAtDoor ? .leavingAtDoor : .openDoor))
        case .attempted:
            // A courier who has still to fetch the goods did not make the attempt.
            return alert(
                "attempted/\(statusSince)", until: statusSince + 60 * 60,
                attempt(by: fetchedFrom == nil ? courier : nil),
                explanation(or: Phrase(.triedAgainOrReturned, ["store": store])))
        case .returning: return nil
        case .delivered:
            return end(
                dismissal, Phrase(isLeftAtDoor ? .alertAtDoor : .alertDelivered), Phrase(.alertHere, ["store": store]))
        case .cancelled: return end(dismissal, headline, explanation(or: Phrase(.nothingDelivered)))
        case .returned, .failed:
            return end(dismissal, headline, explanation(or: Phrase(.contactStore, ["store": store])))
        }
    }

    /// Why it went wrong, or else what comes next, where the customer is to know either.
    private func explanation(or unknown: Phrase) -> Phrase {
        reason.map { Phrase($0.code) } ?? next.first.map { Phrase([$0]) } ?? unknown
    }

    private var questionAlert: ActivityAlert {
        alert(
            "needs-customer/\(proposal?.id ?? String(statusSince))",
            until: proposal?.answerUntil ?? statusSince + 30 * 60,
            Phrase(.alertQuestion, ["store": store]), proposal == nil ? Phrase(.answerInDetails) : question)
    }

    /// Raised once for each promise: a promise that was moved can be missed again.
    private var delayedAlert: ActivityAlert? {
        guard flags.contains(.delayed) else { return nil }
        return alert(
            "delayed/\(promise.to)", until: promise.to + 30 * 60, Phrase(.alertDelayed),
            Phrase(.alertDelayedMore, ["store": store]))
    }

    private func end(_ dismissal: Dismissal?, _ title: Phrase, _ body: Phrase) -> ActivityAlert {
        let seconds: Int
        switch dismissal {
        case .after(let kept): seconds = max(kept, Dismissal.keptSecondsMin)
        case .default: seconds = Dismissal.keptSecondsMax
        case .immediate, nil: seconds = Dismissal.keptSecondsMin
        }
        return alert(status.rawValue, until: endKnownOrStatusSince + seconds, title, body)
    }

    private func alert(_ event: String, until: Int, _ title: Phrase, _ body: Phrase) -> ActivityAlert {
        ActivityAlert(id: "\(activity)/\(event)", validUntil: until, title: title, body: body)
    }
}
