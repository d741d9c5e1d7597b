extension DeliverySnapshot {
    /// The most parts that fit the card's line; an ended card has room for one more.
    private var detailPartsMax: Int { isEnded ? 3 : 2 }

    /// The detail line, the most important part first; nil where the headline is enough.
    ///
    /// - Parameter hasArrival: whether the card shows an arrival; while the courier is silent, a text replaces a missing one.
    func detail(hasArrival: Bool) -> Phrase? {
        let isPaused = isWaitingForCustomer || isOnHold && !isEnded
        let parts = isPaused ? pausedParts : statusParts(hasArrival: hasArrival)
        return parts.isEmpty ? nil : Phrase(Array(parts.prefix(detailPartsMax)))
    }

    /// The parts while everything waits for an answer or a release, without the progress of the delivery.
    private var pausedParts: [PhrasePart] {
        var parts: [PhrasePart] = []
        if isWaitingForCustomer {
            let until = proposal?.answerUntil.map { ["until": String($0)] }
            parts.append(proposal == nil ? (.answerInDetails, [:]) : (.answerOrRefund, until ?? [:]))
        }
        if isOnHold { parts.append((isWaitingForCustomer ? .onHold : .holdExplained, [:])) }
        return parts + promiseBroken
    }

    private func statusParts(hasArrival: Bool) -> [PhrasePart] {
        let silence: PhrasePart = (hasArrival ? .silenceExplained : .arrivalUnknown, [:])
        return switch status {
        case .placed: promiseBroken + reopened + [(.waitingToAccept, ["store": store])] + leaving
        case .accepted:
            promiseBroken + reopened + (isReassigning ? courierParts : [(.pickingNotStarted, [:])]) + leaving
        case .picking:
            promiseBroken + reopened + pickingParts
                + (isReassigning || courierStatus == .atStore ? courierParts : []) + leaving + swaps
        case .staged: promiseBroken + reopened + missing + (isSilent ? [silencePart] : courierParts) + leaving + swaps
        case .pickedUp, .enRoute, .arriving:
            promiseBroken + (isSilent ? [silence] : standing) + reopened + stops + leaving + missing
                + untracked + swaps
        // At the door, the instruction comes first; the delivery is late there once its promise is past.
        case .atDoor: (isHandedOver ? [] : [doorInstruction]) + reopened + late + missing + swaps
        case .attempted: why + nextOr([attemptedPart]) + reopened + (isSilent ? [silencePart] : [])
        case .returning: why + nextOr([(.noNeedToWait, [:])]) + reopened + (isSilent ? [silencePart] : [])
        case .delivered: (isDisputed ? [(.underInvestigation, [:])] : [punctuality]) + missing + refunded
        case .cancelled: why + investigation + nextOr(refunded.isEmpty ? [(.nothingDelivered, [:])] : []) + refunded
        case .returned, .failed:
            why + investigation + nextOr(refunded.isEmpty ? [(.contactStore, ["store": store])] : []) + refunded
        }
    }

    /// Missing items follow the picking's progress, or precede it where the detail has more parts.
    private var pickingParts: [PhrasePart] {
        promiseBroken.isEmpty && reopened.isEmpty ? found + missing : missing + found
    }

    /// The customer's missing items: one by its name, several by their number.
    private var missing: [PhrasePart] {
        let missing = items.filter(\.isMissing)
        guard let one = missing.first else { return [] }
        guard missing.count == 1 else { return [(.itemsMissing, ["missing": String(missing.count)])] }
        let item = ["item": one.name]
        switch one.state {
        case .short:
            let counts = ["packed": String(one.found), "ordered": String(one.quantity)]
            return [(.itemShort, item.merging(counts) { own, _ in own })]
        case .removed: return [(.itemRemoved, item)]
        case .refunded: return [(.itemRefunded, item)]
        case .soldOut, .pending, .found, .proposed, .substituted: return [(.itemSoldOut, item)]
        }
    }

    private func nextOr(_ unknown: [PhrasePart]) -> [PhrasePart] { next.isEmpty ? unknown : next }
    private var refunded: [PhrasePart] { refundTotal.map { [(.refundTotal, ["refund": $0.value])] } ?? [] }
    private var investigation: [PhrasePart] { isDisputed ? [(.underInvestigation, [:])] : [] }

    private var untracked: [PhrasePart] {
        guard courierTracking == .untracked, let courier else { return [] }
        return [(.notTracked, ["courier": courier.name])]
    }

    private var isDisputed: Bool { flags.contains(.disputed) }
    private var isReassigning: Bool { flags.contains(.reassigning) }

    private var late: [PhrasePart] { flags.contains(.delayed) ? [(.delayed, [:])] : [] }
    private var promiseBroken: [PhrasePart] { late + (flags.contains(.rescheduled) ? [newTime] : []) }
    /// The reason for the card's second episode, which a customer who read `Delivered` needs first.
    private var reopened: [PhrasePart] {
        guard isDisputed else { return [] }
        return [(reopenedFrom == .delivered ? .markedByMistake : .reopened, [:])]
    }

    private var silencePart: PhrasePart {
        (courier == nil ? .courierSilentUnnamed : .courierSilent, silence.values)
    }

    private var newTime: PhrasePart {
        let zone = LiveActivity.timeZone(named: timeZone)
        let isSameDay = ClockTime(promise.from, in: zone).day == ClockTime(originalPromise.from, in: zone).day
        return (
            isSameDay ? .rescheduled : .rescheduledToDay, ["from": String(promise.from), "to": String(promise.to)]
        )
    }

    /// The picking's progress with the pieces that can still come; nothing where none can.
    private var found: [PhrasePart] {
        guard pieceCount > 0 else { return [] }
        return foundCount > 0
            ? [(.foundOf, ["found": String(foundCount), "items": String(pieceCount)])]
            : [(.itemsToPick, ["items": String(pieceCount)])]
    }

    private var courierParts: [PhrasePart] {
        guard let courier, let courierStatus else {
            return [(isReassigning ? .reassigning : .courierUnassigned, [:])]
        }
        switch courierStatus {
        case .unassigned: return [(isReassigning ? .reassigning : .courierUnassigned, [:])]
        case .assigned: return [(.courierAssigned, ["courier": courier.name])]
        case .toStore: return [(.courierToStore, ["courier": courier.name, "store": store])]
        case .atStore: return [(.courierAtStore, ["courier": courier.name, "store": store])]
        }
    }

    private var standing: [PhrasePart] {
        standingSince.map { [(.standing, ["since": String($0)])] } ?? []
    }

    private var stops: [PhrasePart] {
        if let stops = courier?.stopsBefore, stops > 0 { return [(.stopsBefore, ["stops": String(stops)])] }
        if let withinMetres, !isSilent { return [Self.within(metres: withinMetres)] }
        return flags.contains(.batched) ? [(.otherStops, [:])] : []
    }

    private static func within(metres: Int) -> PhrasePart {
        metres < 1_000
            ? (.withinMetres, ["metres": String(metres)])
            : (.withinKilometres, ["kilometres": String(metres / 1_000)])
    }

    private var doorInstruction: PhrasePart { (isLeftAtDoor ? .leavingAtDoor : .openDoor, [:]) }
    private var leaving: [PhrasePart] { isLeftAtDoor ? [(.leftAtDoor, [:])] : [] }

    /// The courier to contact for the goods; the next step instead while the present courier has still to fetch them.
    private var attemptedPart: PhrasePart {
        guard fetchedFrom == nil, let courier, links.contains(where: { $0.verb == .contactCourier }) else {
            return (.triedAgainOrReturned, ["store": store])
        }
        return (.contactToHandOver, ["courier": courier.name])
    }

    private var swaps: [PhrasePart] {
        substitutedCount > 0 ? [(.itemsSwapped, ["swapped": String(substitutedCount)])] : []
    }

    /// Relative to the first promise.
    private var punctuality: PhrasePart {
        switch Punctuality(of: endedOrStatusSince, in: originalPromise) {
        case .early(let minutes): (.beforePromise, ["minutes": String(minutes)])
        case .asPromised: (.asPromised, [:])
        case .late(let minutes): (.afterPromise, ["minutes": String(minutes)])
        }
    }
}
