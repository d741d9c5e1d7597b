public import Foundation

/// A hand-over that is confirmed later than it was, since a proof of it was missing.
extension Delivery {
    /// Since when the end is known: its time, or that of its confirmation where that was later; nil while live.
    public var endKnownAt: Date? { endedAt.map { max($0, proof?.confirmedAt ?? $0) } }

    /// When the goods were handed over by the courier's word or by a provider's report, while a proof of that is missing:
    /// the earlier of the two, nil without either.
    ///
    /// An attempt, the way back, or a further approach that was reported since makes a report of a hand-over doubtful.
    public var reportedHandOverAt: Date? { [proof?.handedOverAt, claimedAt].compactMap(\.self).min() }

    /// When a provider's report that waits for a proof has the hand-over; nil without one, and where it is doubtful.
    private var claimedAt: Date? {
        let isOver = status == .handedOver(.attempted) || status == .handedOver(.returning)
        let doubtedAt = isOver ? statusSince : steppedBackAt
        return proof?.claim.map(\.effectiveAt).flatMap { at in doubtedAt.map { at > $0 } ?? true ? at : nil }
    }

    /// Keeps the courier's word for a hand-over that lacks a proof: it is at the door until that is confirmed, and a
    /// person is asked.
    ///
    /// With all proofs it ends the delivery, also after a failed attempt and while the delivery is on hold: the goods
    /// are gone.
    mutating func keepHandOver(at now: Date) {
        guard canBeProven, !requiredProofs.isEmpty else { return }
        askForDecision(at: now)
        if proof?.handedOverAt == nil { proof?.handedOverAt = now }
        settleClaim(at: now)
        // The goods are in no broken vehicle.
        if reportedProblem == .vehicle { endHold() }
        guard !status.isEnded, status != .handedOver(.atDoor) else { return }
        let isAttempt = status == .handedOver(.attempted)
        let (formerStep, enteredAt) = (steppedBackAt, statusSince)
        enter(.handedOver(.atDoor), reason: nil, at: now)
        // No person has sent it back: a report of a hand-over since that attempt counts.
        steppedBackAt = isAttempt ? max(formerStep ?? enteredAt, enteredAt) : formerStep
        endHandOver()
    }

    /// Settles what waited for a proof after a change that leaves none missing, as its confirmation.
    ///
    /// A provider's report settles it by itself and confirms nothing, so that the order of reports does not matter.
    mutating func confirmHandOver(at now: Date) {
        let (isClaimed, isDoubtful) = (proof?.claim != nil, claimedAt == nil)
        settleClaim(at: now)
        guard isClaimed, status == .handedOver(.delivered), let endedAt, endedAt < now else { return }
        proof?.confirmedAt = now
        if !isDoubtful, endedAt <= promise.end { flags.remove(.delayed) }
    }

    /// Counts the report that ended a delivered delivery as the confirmation of the courier's word, and moves the end to
    /// that word where it was before.
    mutating func advanceEnd(to word: Date, at now: Date) {
        guard status == .handedOver(.delivered), let endedAt, !Self.isOverdueEnd(at: word, now: now) else { return }
        if endedAt < now { proof?.confirmedAt = now }
        guard word < endedAt else { return }
        self.endedAt = word
        statusSince = min(statusSince, word)
        if word <= promise.end { flags.remove(.delayed) }
    }

    /// Corrects another end by an operator's decision to the hand-over that a provider reported without its proof.
    ///
    /// - Returns: false where none waits, and where the record has overtaken it.
    mutating func correctEnd(reason: String, at now: Date) -> Bool {
        guard proof?.claim != nil else { return false }
        confirmHandOver(at: now)
        guard status == .handedOver(.delivered) else { return false }
        flags.insert(.disputed)
        self.reason = reason
        settleFeedback(at: now)
        return true
    }

    /// Ends the delivery as delivered by an operator's decision: as a provider has reported it, with the report's time
    /// and courier, or else as of the courier's word.
    ///
    /// A doubtful report counts no more.
    mutating func decideHandOver(reason: String, at now: Date) {
        let word = proof?.handedOverAt
        if claimedAt != nil { confirmHandOver(at: now) }
        // A report that the record has overtaken ends nothing.
        if status == .handedOver(.delivered) {
            self.reason = reason
        } else {
            deliver(asOf: word, reason: reason, at: now)
        }
    }
}
