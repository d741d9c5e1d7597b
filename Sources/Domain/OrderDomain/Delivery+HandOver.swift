internal import Foundation

/// The hand-over of picked-up goods between two couriers.
extension Delivery {
    /// Leaves picked-up goods with the courier who has them until the next courier has fetched them.
    ///
    /// Goods that another courier has to fetch are no longer near their door, and nothing proves their hand-over yet.
    mutating func beginHandOver(to next: Courier, at now: Date) {
        guard case .handedOver(let tail) = status, let carrier = fetchedFrom ?? courier else { return }
        switch tail {
        case .arriving, .atDoor: enter(.handedOver(.enRoute), reason: nil, at: now)
        case .pickedUp, .enRoute, .attempted, .returning, .delivered, .returned, .cancelled, .failed: break
        }
        voidHandOver(until: now)
        fetchedFrom = carrier.id == next.id ? nil : carrier
    }

    /// Leaves picked-up goods with the courier who has them, where a provider reports another courier of its own.
    ///
    /// The present courier is the reported one, who reaches with the goods what the report states, so that the order of
    /// the provider's reports does not matter.
    mutating func beginHandOver(from former: Courier?, by report: ProviderReport) {
        // Goods that were handed over by the former courier's word are with the customer.
        guard case .handedOver(let tail) = status, !tail.isEnd, proof?.handedOverAt == nil,
            let carrier = fetchedFrom ?? former
        else { return }
        if tail == .arriving || tail == .atDoor, tail.code != report.status {
            let at = max(report.effectiveAt, pickedUpAt ?? report.effectiveAt)
            let formerStep = steppedBackAt
            enter(.handedOver(report.status == .arriving ? .arriving : .enRoute), reason: nil, at: at)
            // No person has sent it back: what the next courier reached by then counts.
            steppedBackAt = formerStep
        }
        fetchedFrom = carrier.id == courier?.id ? nil : carrier
        if let code = report.status { endHandOver(to: code, by: report) }
    }

    /// Gives the delivery back to the courier who has the goods, where the provider of the next one has withdrawn.
    mutating func cancelHandOver() {
        guard let carrier = fetchedFrom else { return }
        followVehicle(from: courier, to: carrier)
        countAsStop()
        courier = carrier
        fetchedFrom = nil
        // The shop's own courier reads the present values.
        settle(.provider)
        requireProviderAgain()
        assignmentEpoch += 1
        flags.subtract([.reassigning, .courierSilent, .batched])
        stopsBefore = 0
    }

    /// Repeats the end with which the provider withdrew, once a late report shows that its courier had fetched the
    /// goods by then: the end is theirs, as in the other order of the two.
    mutating func repeatWithdrawal(after report: ProviderReport, at now: Date) {
        guard case .tail(let tail)? = report.status?.region, tail.impliesPickup,
            let part = courierReports?.parts?[report.source], let code = part.endedAs, let end = part.endedAt,
            report.effectiveAt <= end
        else { return }
        let withdrawal = ProviderReport(
            source: report.source, sourceName: report.sourceName, id: report.id, kind: code.rawValue, status: code,
            occurredAt: end, receivedAt: end)
        apply(withdrawal, at: now)
    }

    /// Ends the hand-over with a further status that a person or a provider reports, since only a courier with the
    /// goods reaches it; a return may begin before the hand-over.
    mutating func endHandOver() {
        if status != .handedOver(.returning) { fetchedFrom = nil }
    }

    /// Ends the hand-over where a report has the present courier carry the goods, also in a status that was reached
    /// before.
    ///
    /// A return may begin before the hand-over.
    mutating func endHandOver(to code: StatusCode, by report: ProviderReport) {
        guard let reported = report.courier, reported.id == courier?.id, case .tail(let tail) = code.region,
            tail.impliesPickup, tail != .returning
        else { return }
        fetchedFrom = nil
    }
}
