public import Foundation

/// A delivery's corrections since its courier was assigned: the changed fields, without their values.
public struct Correction: Hashable, Codable, Sendable {
    /// The time of the newest one.
    public let at: Date
    /// Sorted.
    public let fields: [CorrectedField]
    /// The assignment during which they were made.
    public let assignmentEpoch: Int
    /// Rises with each correction of the delivery, from 1.
    public let number: Int
}

/// A person's next step about a correction.
public enum CorrectionDue: String, CaseIterable, Hashable, Comparable, Codable, Sendable {
    /// The shop decides about another address that the customer asked for.
    case decision
    /// A person informs the delivery's provider, which may have the former values.
    case provider

    public static func < (one: CorrectionDue, other: CorrectionDue) -> Bool { one.rawValue < other.rawValue }
}

extension Delivery {
    /// Metres within which a corrected position is still the same door: a courier there stays at the door.
    ///
    /// - Source: `MilestoneDetector.atDoorMetres`, the radius of a door.
    static let sameDoorMetres = 40.0

    /// Whether a corrected position is still the delivery's present door.
    public func hasDoor(at position: Coordinate) -> Bool { door.distance(to: position) <= Self.sameDoorMetres }

    /// Whether a provider's report gave the delivery its courier, so that the provider has its own copy of the drop-off.
    public var isCarriedByProvider: Bool {
        guard let courier else { return courierReports != nil }
        return courierReports?.assignment?.courier == courier.id || courier.id.rawValue.hasSuffix("-\(id)")
    }

    /// Seconds after a hand-over for which it may have been reported by mistake.
    ///
    /// Within two hours a customer misses the groceries, and the courier knows where they are.
    public static let mistakeSeconds = 2.0 * 3_600

    /// Whether the delivery was reported as delivered, or a hand-over of before was confirmed, so recently that it may
    /// be a mistake.
    public func isMistakable(at now: Date) -> Bool {
        guard status == .handedOver(.delivered), let endKnownAt else { return false }
        return now.timeIntervalSince(endKnownAt) <= Self.mistakeSeconds
    }

    /// Whether a subject may be corrected in the present status.
    public func isCorrectable(_ subject: CorrectionSubject) -> Bool {
        // The refusal's text is for the caller of the change itself.
        (try? checkCorrectable(subject)) != nil
    }

    func checkCorrectable(_ subject: CorrectionSubject) throws(ChangeRefusal) {
        guard !status.isEnded else { throw .tooLate("the delivery has ended") }
        let limit = store.corrections?.limit(of: subject) ?? subject.usualLimit
        guard status.code.rank < limit.rank else {
            throw .tooLate("it can be corrected until \(limit.rawValue), and the delivery is \(status.code.rawValue)")
        }
    }

    /// Applies a correction without the values that the delivery already has.
    ///
    /// It is also the shop's decision about the address that the customer asked for.
    mutating func correct(_ correction: DropOffCorrection, at now: Date) throws(ChangeRefusal) {
        let fields = correction.fields
        let subjects = fields.map(\.subject)
        for subject in CorrectionSubject.allCases where subjects.contains(subject) { try checkCorrectable(subject) }
        if correction.decides { settle(.decision) }
        guard !fields.isEmpty else { return }
        if let next = correction.door { moveDoor(to: next, at: now) }
        record(fields, at: now)
    }

    /// Adds items to the end of the basket, which the picker still has to find; a packed bag is opened again.
    ///
    /// Their proofs are required at the door from then on; where the goods are left there, items are refused for which a
    /// person at the door gives a proof.
    mutating func add(_ added: [Item], at now: Date) throws(ChangeRefusal) {
        let added = lacking(added)
        guard !added.isEmpty else { return }
        try checkCorrectable(.items)
        for item in added where items.contains(where: { $0.id == item.id }) { throw .itemExists(item.id) }
        guard case .preparing(let progress, let courierStatus) = status else { throw .notInStore }
        let personal = Set(added.flatMap { $0.requires ?? [] }).filter(\.needsPerson).sorted()
        guard handoff.method != .leaveAtDoor || personal.isEmpty else { throw .personNeeded(personal) }
        if progress == .staged { enter(.preparing(.picking, courierStatus), reason: nil, at: now) }
        items += added
        record([.items], at: now)
    }

    /// The further items that the basket does not have as they are ordered: those of a repeated request are there, unless
    /// they have been removed or refunded since.
    public func lacking(_ added: [Item]) -> [Item] {
        let there = items.filter { $0.status != .removed && $0.status != .refunded }
        return added.filter { item in !there.contains { $0.isOrdered(as: item) } }
    }

    /// Records the customer's request for another address, about which the shop decides.
    mutating func requestAddress() throws(ChangeRefusal) {
        try checkCorrectable(.dropOff)
        require(.decision)
        addressRequests = (addressRequests ?? 0) + 1
    }

    /// Changes how the groceries are handed over, which a provider that carries the delivery does not know yet.
    mutating func changeHandoff(to method: HandoffMethod) {
        handoff.method = method
        handoffChanges = (handoffChanges ?? 0) + 1
        if isCarriedByProvider { require(.provider) }
    }

    mutating func settle(_ due: CorrectionDue) {
        let rest = (correctionsDue ?? []).filter { $0 != due }
        correctionsDue = rest.isEmpty ? nil : rest
    }

    mutating func require(_ due: CorrectionDue) {
        correctionsDue = Set((correctionsDue ?? []) + [due]).sorted()
    }

    /// Requires that a person informs the provider that carries the delivery of what has changed, where something has:
    /// whether a person has done so before is not known.
    mutating func requireProviderAgain() {
        let isCorrected = dropOffCorrectedAt != nil || correction.map { $0.fields != [.items] } ?? false
        if isCarriedByProvider, isCorrected || promisedAt != nil || handoffChanges != nil { require(.provider) }
    }

    /// Sends a courier who was near the former door, or waited there, to the corrected one.
    private mutating func moveDoor(to next: Coordinate, at now: Date) {
        let isSame = hasDoor(at: next)
        door = next
        guard !isSame, case .handedOver(let tail) = status, !tail.isEnd else { return }
        voidHandOver(until: now)
        leaveDecision()
        if !requiredProofs.isEmpty {
            proof = proof ?? DeliveryProof(required: [])
            proof?.doorMovedAt = now
        }
        switch tail {
        case .arriving, .atDoor, .attempted: enter(.handedOver(.enRoute), reason: nil, at: now)
        case .pickedUp, .enRoute, .returning, .delivered, .returned, .cancelled, .failed: break
        }
    }

    private mutating func record(_ fields: [CorrectedField], at now: Date) {
        let former = correction.map { $0.assignmentEpoch == assignmentEpoch ? $0.fields : [] } ?? []
        correction = Correction(
            at: now, fields: Set(former + fields).sorted(), assignmentEpoch: assignmentEpoch,
            number: (correction?.number ?? 0) + 1)
        // The shop packs items; no provider needs a list of them.
        guard fields != [.items] else { return }
        dropOffCorrectedAt = now
        if isCarriedByProvider { require(.provider) }
    }
}

extension Item {
    /// Whether both are the same line of an order, whatever the store has reported about either.
    fileprivate func isOrdered(as other: Item) -> Bool {
        id == other.id && name == other.name && quantity == other.quantity
            && ifUnavailable == other.ifUnavailable && requires == other.requires
    }
}
