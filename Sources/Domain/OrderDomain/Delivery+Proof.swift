internal import Foundation

/// The gate of the hand-over: a delivery is delivered only with every proof that it requires.
extension Delivery {
    /// The required proofs: those of the order, and those of the items that are or may be in the bag, sorted.
    public var requiredProofs: [ProofKind] {
        items.reduce(into: Set(proof?.required ?? [])) { kinds, item in
            if item.isInBag { kinds.formUnion(item.requires ?? []) }
        }.sorted()
    }

    /// The required proofs that are neither passed nor waived, sorted; `delivered` is refused with any.
    public var missingProofs: [ProofKind] {
        requiredProofs.filter { !(proof?.isMet($0) ?? false) }
    }

    /// Whether the courier can make a check at the door now: with the goods, before the end and before the way back.
    public var canBeProven: Bool {
        switch status {
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.atDoor),
            .handedOver(.attempted):
            true
        case .preparing, .handedOver(.returning), .handedOver(.delivered), .handedOver(.returned),
            .handedOver(.cancelled), .handedOver(.failed):
            false
        }
    }

    /// Whether the courier can check the age of the person at the door: until one check was refused.
    public var canCheckAge: Bool {
        canBeProven && missingProofs.contains(.age) && proof?.result(of: .age)?.outcome != .refused
    }

    /// Whether an operator may end it as delivered without its missing proofs: where a courier could with them, and
    /// where a person has to decide.
    public var canWaiveProofs: Bool {
        guard !status.isEnded, !missingProofs.isEmpty else { return false }
        return status.allowed.contains(.delivered) || proof?.undecidedSince != nil
    }

    /// Refuses to be delivered without a required proof; every way to `delivered` passes here.
    ///
    /// - Parameter former: the status before the change.
    func checkProofs(after former: DeliveryStatus) throws(ChangeRefusal) {
        guard status == .handedOver(.delivered), former != status else { return }
        let missing = missingProofs
        if !missing.isEmpty { throw .proofMissing(missing) }
    }

    // MARK: Checks at the door

    /// Counts a PIN that was compared: after five wrong ones no further one is compared, and a person decides.
    mutating func enterPIN(
        isRight: Bool, entry: UUID?, by author: String?, at now: Date
    ) throws(ChangeRefusal) {
        try checkPIN()
        guard missingProofs.contains(.pin) else { return }
        if isRight {
            note(.pin, .passed, by: author, at: now)
            return
        }
        var proof = proof ?? DeliveryProof(required: [])
        guard entry == nil || entry != proof.lastWrongEntry else { return }
        proof.wrongPINs += 1
        proof.lastWrongEntry = entry
        self.proof = proof
        if proof.pinTriesLeft == 0 { askForDecision(at: now) }
    }

    /// Whether a PIN may be compared now.
    ///
    /// - Throws: ``ChangeRefusal`` where none is required, at another status, and after five wrong ones.
    public func checkPIN() throws(ChangeRefusal) {
        guard requiredProofs.contains(.pin) else { throw .proofNotRequired(.pin) }
        guard canBeProven else { throw .tooLate("a PIN is checked from pickup to the hand-over") }
        guard missingProofs.contains(.pin) else { return }
        guard proof?.pinTriesLeft != 0 else { throw .pinTriesUsed }
    }

    /// Records the age check; a refused one sends the goods back.
    mutating func checkAge(isPassed: Bool, by author: String?, at now: Date) throws(ChangeRefusal) {
        guard requiredProofs.contains(.age) else { throw .proofNotRequired(.age) }
        let outcome: GivenProof.Outcome = isPassed ? .passed : .refused
        if proof?.result(of: .age)?.outcome == outcome { return }
        guard canCheckAge || (!isPassed && canBeProven) else {
            throw .tooLate("the age check is over; an operator decides")
        }
        note(.age, outcome, by: author, at: now)
        guard !isPassed else { return }
        enter(.handedOver(.returning), reason: "the age check was refused", at: now)
        customerReason = .notVerified
    }

    /// Records a photo or a signature, which counts from then on instead of an earlier one.
    ///
    /// One that arrives after an operator has waived it is recorded too: it was made at the door, without a network.
    mutating func giveImage(
        _ kind: ProofKind, _ image: String, by author: String?, at now: Date
    ) throws(ChangeRefusal) {
        guard kind.isImage, requiredProofs.contains(kind) else { throw .proofNotRequired(kind) }
        if proof?.result(of: kind)?.image == image { return }
        // A page repeats what got no answer, also after a hand-over that was none.
        let former = proof?.former ?? []
        if former.contains(where: { $0.kind == kind && $0.image == image }) { return }
        let isWaived = status == .handedOver(.delivered) && proof?.result(of: kind)?.outcome == .waived
        guard canBeProven || isWaived else {
            throw .tooLate("a \(kind.rawValue) is taken from pickup to the hand-over")
        }
        guard (proof?.images.count ?? 0) < DeliveryProof.imagesMax else { throw .tooManyImages }
        note(kind, .passed, by: author, at: now, image: image)
    }

    /// Compares what was read or typed with the bag's barcode.
    mutating func readBarcode(_ text: String, by author: String?, at now: Date) throws(ChangeRefusal) {
        guard requiredProofs.contains(.barcode) else { throw .proofNotRequired(.barcode) }
        guard missingProofs.contains(.barcode) else { return }
        guard canBeProven else { throw .tooLate("a barcode is read from pickup to the hand-over") }
        // Orders of a former version may have a barcode with white space around it, or of white space alone.
        let known = DeliveryProof.comparedBarcode(proof?.barcode ?? "")
        guard !known.isEmpty else { throw .barcodeUnknown }
        guard DeliveryProof.comparedBarcode(text) == known else { throw .wrongBarcode }
        note(.barcode, .passed, by: author, at: now)
    }

    /// Asks a person to decide about a hand-over without its proof.
    mutating func askForDecision(at now: Date) {
        guard !missingProofs.isEmpty, !status.isEnded else { return }
        var proof = proof ?? DeliveryProof(required: [])
        proof.undecidedSince = proof.undecidedSince ?? now
        self.proof = proof
    }

    /// Waives each missing proof by an operator's decision.
    mutating func waiveProofs(reason: String, by author: String?, at now: Date) {
        for kind in missingProofs { note(kind, .waived, by: author, at: now, reason: reason) }
    }

    // MARK: Reports

    /// Records the proofs that a provider reports, as far as they are required.
    ///
    /// Of several reports of one proof the earliest counts, in whatever order they arrive. A report of no hand-over,
    /// such as with the photo of a closed door, proves none, nor does a photo, a signature or an age check of before the
    /// door moved. No report revokes a refused check.
    mutating func noteProofs(of report: ProviderReport) {
        let failures: [StatusCode] = [.attempted, .returning, .returned, .cancelled, .failed]
        if let code = report.status, failures.contains(code) { return }
        let isElsewhere = proof?.doorMovedAt.map { report.effectiveAt <= $0 } ?? false
        let required = requiredProofs.filter { !isElsewhere || !$0.isOfVisit }
        let author = report.source.rawValue
        for kind in (report.proofs ?? []).sorted() where required.contains(kind) {
            if let known = proof?.given.firstIndex(where: { $0.kind == kind && $0.by == author }) {
                guard let at = proof?.given[known].at, report.effectiveAt < at else { continue }
                proof?.given[known] = GivenProof(
                    kind: kind, outcome: .passed, by: author, at: report.effectiveAt, reason: nil, image: nil)
            } else if missingProofs.contains(kind), proof?.result(of: kind) == nil {
                note(kind, .passed, by: author, at: report.effectiveAt)
            }
        }
    }

    /// Keeps a report of a hand-over that lacks a proof, and changes nothing else by it.
    mutating func keepClaim(_ claim: ProviderReport, at now: Date) {
        // One after another end is kept too: once its proof is there, it has precedence, as in the other order.
        guard status != .handedOver(.delivered) else { return }
        guard !isRefuted(claim) else { return }
        askForDecision(at: now)
        var proof = proof ?? DeliveryProof(required: [])
        if let known = proof.claim, known.effectiveAt <= claim.effectiveAt { return }
        proof.claim = claim
        self.proof = proof
    }

    /// Applies the provider's report and the courier's word that waited for a proof, once nothing is missing; the earlier
    /// of the two is the end.
    mutating func settleClaim(at now: Date) {
        guard missingProofs.isEmpty else { return }
        let (claim, word) = (proof?.claim, proof?.handedOverAt)
        guard claim != nil || word != nil else { return }
        endDecision()
        if let claim { apply(claim, at: now) }
        guard let word else { return }
        if canBeProven {
            deliver(asOf: word, reason: nil, at: now)
        } else {
            advanceEnd(to: word, at: now)
        }
    }

    /// Whether a reported hand-over was at a former door, or none by a person's later word.
    ///
    /// A PIN that was right by then is the customer's at any door.
    public func isRefuted(_ claim: ProviderReport) -> Bool {
        if isRefutedByAttempt(claim) { return true }
        guard let movedAt = proof?.doorMovedAt, claim.effectiveAt <= movedAt else { return false }
        guard let pin = proof?.result(of: .pin), pin.outcome == .passed else { return true }
        return claim.effectiveAt < pin.at
    }

    /// Whether a reported hand-over was none by a person's later word; the customer's PIN, with every other proof that is
    /// required, shows that it was one.
    public func isRefutedByAttempt(_ claim: ProviderReport) -> Bool {
        guard let attemptedAt = proof?.attemptedAt, claim.effectiveAt <= attemptedAt else { return false }
        let required = requiredProofs
        return !required.contains(.pin) || !Set(claim.proofs ?? []).isSuperset(of: required)
    }

    /// Asks a person whether their *attempted* was a mistake, where it refutes a reported hand-over that has every
    /// required proof and the delivery is at the door again.
    mutating func askAboutAttempt(_ claim: ProviderReport, at now: Date) {
        guard status == .handedOver(.atDoor), Set(claim.proofs ?? []).isSuperset(of: requiredProofs) else { return }
        askForDecision(at: now)
    }

    // MARK: Ends

    /// Ends the delivery as delivered at the time of the courier's word, or now without one.
    ///
    /// A word of so long ago that no resync would republish the end counts as of now, as a report does.
    mutating func deliver(asOf handedOverAt: Date?, reason: String?, at now: Date) {
        let word = handedOverAt.flatMap { Self.isOverdueEnd(at: $0, now: now) ? nil : $0 }
        enter(.handedOver(.delivered), reason: reason, at: word ?? now)
        if word != nil { proof?.confirmedAt = now }
        if let word, word <= promise.end { flags.remove(.delayed) }
        endHandOver()
    }

    /// Ends what waited for a proof, with the delivery or with its way back.
    mutating func endDecision() {
        proof?.undecidedSince = nil
        proof?.claim = nil
        proof?.handedOverAt = nil
    }

    /// Ends what a former courier's hand-over, one at a wrong door, or one that was none waited for: nothing that the
    /// courier or their provider has stated is of the next.
    ///
    /// After too many wrong PINs a person still has to decide, also about the next courier, door or visit.
    mutating func leaveDecision() {
        let undecidedSince = proof?.undecidedSince
        endDecision()
        if isOutOfPINs { proof?.undecidedSince = undecidedSince }
    }

    /// Whether no further PIN is compared although one is missing.
    private var isOutOfPINs: Bool { missingProofs.contains(.pin) && proof?.pinTriesLeft == 0 }

    /// Ends what a hand-over waited for that a person's *attempted* refutes; a provider's report of it counts no more.
    ///
    /// A provider's own report of a failed attempt ends nothing: the two agree in any order.
    mutating func refuteHandOver(at now: Date) {
        leaveDecision()
        guard !requiredProofs.isEmpty else { return }
        proof = proof ?? DeliveryProof(required: [])
        proof?.attemptedAt = now
    }

    /// Refutes what waits, and what a provider reports of a hand-over until now, in a delivery that a provider has
    /// reported as `attempted` already; a repeat changes nothing.
    mutating func confirmAttempt(at now: Date) {
        let isAsked = proof?.undecidedSince != nil && !isOutOfPINs
        let isFirstWord = proof?.attemptedAt.map { $0 < statusSince } ?? true
        if isFirstWord || isAsked || proof?.claim != nil { refuteHandOver(at: now) }
    }

    /// Asks for every proof of a reopened delivery again: former proofs are of a hand-over that was none.
    mutating func voidProofs() {
        guard let given = proof?.given else { return }
        endDecision()
        proof?.confirmedAt = nil
        proof?.wrongPINs = 0
        proof?.lastWrongEntry = nil
        proof?.given = []
        if !given.isEmpty {
            let former = proof?.former ?? []
            proof?.former = former + given
        }
    }

    /// Voids what a failed attempt, or a provider's report of another courier, refutes: the courier's word, and the photo and
    /// the signature until then from a courier's page, which may show a closed door.
    ///
    /// Provider reports of a photo and of an attempt agree in any order.
    mutating func voidVisit(until end: Date) {
        voidWord(until: end)
        voidImages(until: end)
    }

    /// Voids the photos and signatures until then from a courier's page.
    mutating func voidImages(until end: Date) { voidProofs(until: end) { $0.image != nil } }

    /// Voids what another door, or a person's change of courier, refutes: the courier's word, and each photo, signature and
    /// passed age check until then, which may be of a wrong door or of another person.
    ///
    /// A refused age check stays.
    mutating func voidHandOver(until end: Date) {
        voidWord(until: end)
        voidProofs(until: end) { $0.kind.isOfVisit && $0.outcome == .passed }
    }

    private mutating func voidWord(until end: Date) {
        guard let at = proof?.handedOverAt, at <= end else { return }
        proof?.handedOverAt = nil
        // The question was about that word, unless it is about a provider's report too.
        if proof?.claim == nil { leaveDecision() }
    }

    private mutating func voidProofs(until end: Date, where isRefuted: (GivenProof) -> Bool) {
        guard let given = proof?.given else { return }
        let refuted = given.filter { isRefuted($0) && $0.at <= end }
        guard !refuted.isEmpty else { return }
        let former = proof?.former ?? []
        proof?.former = former + refuted
        proof?.given = given.filter { !(isRefuted($0) && $0.at <= end) }
    }

    private mutating func note(
        _ kind: ProofKind, _ outcome: GivenProof.Outcome, by author: String?, at: Date, reason: String? = nil,
        image: String? = nil
    ) {
        var proof = proof ?? DeliveryProof(required: [])
        proof.given.append(
            GivenProof(kind: kind, outcome: outcome, by: author, at: at, reason: reason, image: image))
        self.proof = proof
        if missingProofs.isEmpty { self.proof?.undecidedSince = nil }
    }
}

extension Item {
    /// Whether the goods, or others in their place, are or may be in the bag.
    var isInBag: Bool {
        switch status {
        case .pending, .found, .short, .substituteProposed, .substituted: true
        case .outOfStock, .removed, .refunded: false
        }
    }
}
