internal import Foundation

extension Delivery {
    /// Hours after which a reported end counts as of now: a resync republishes only ends of the last hours.
    public static let reportedEndHoursMax = 12.0

    /// Applies a provider's report.
    ///
    /// Store and tail only advance, by rank; the latest report decides the courier, and the latest that states it their
    /// progress to the store (``CourierReports/standing``). So any order of the same reports, with any repeats, leads
    /// to the same delivery. A late report may correct earlier times, and moves nothing back. A report of a hand-over
    /// that lacks a proof waits for that proof, as a whole; one that a person has refuted since asks a person at most.
    mutating func apply(_ report: ProviderReport, at now: Date) {
        // A late report of a delivery whose courier is erased, or a former one, brings no courier back.
        let keepsCourier = status.isEnded && hasErasedCourier
        let report = keepsCourier ? report.withoutCourier : report
        let isOfFormerPromise = promisedAt.map { report.effectiveAt < $0 } ?? false
        if report.isLate, !isOfFormerPromise, isOfPresentPart(report) { flags.insert(.delayed) }
        guard !isCorrected(after: report) else { return }
        let hadPart = courierReports?.hasPart(report.source) == true
        if !keepsCourier { notePart(of: report) }
        if isWithdrawal(report) { return withdraw(report) }
        if report.status == .delivered, isRefutedByAttempt(report) { return askAboutAttempt(report, at: now) }
        noteProofs(of: report)
        settleClaim(at: now)
        if report.status == .delivered, !missingProofs.isEmpty || isRefuted(report) {
            return keepClaim(report, at: now)
        }
        if let code = report.status {
            advance(to: code, by: report, at: now)
            endHandOver(to: code, by: report)
        }
        guard !keepsCourier else { return }
        applyCourier(of: report, hadPart: hadPart)
        repeatWithdrawal(after: report, at: now)
    }

    /// Whether an operator has corrected the record since the reported event.
    private func isCorrected(after report: ProviderReport) -> Bool {
        flags.contains(.disputed) && (status.isEnded || report.effectiveAt < statusSince)
    }

    /// Whether a person has sent the delivery back since it reached the reported status.
    ///
    /// An end counts all the same, and so does `returning`.
    private func isUndone(_ code: StatusCode, at: Date) -> Bool {
        guard let steppedBackAt, at < steppedBackAt else { return false }
        return switch (status, code.region) {
        case (.preparing, .store): true
        case (.handedOver, .tail(let tail)): !tail.isEnd && tail != .returning
        case (.preparing, _), (.handedOver, _): false
        }
    }

    /// Notes a change of a live delivery to an earlier status, which no report makes.
    mutating func noteStepBack(to next: DeliveryStatus, at now: Date) {
        if !status.isEnded, next.code.rank < status.code.rank {
            steppedBackAt = now
        } else if (status.courierStatus == nil) != (next.courierStatus == nil) {
            steppedBackAt = nil
        }
    }

    // MARK: Former providers

    /// Notes that the provider states couriers of the delivery, also where its report changes nothing else.
    ///
    /// The shop's own system may report by CloudEvents that no courier is assigned.
    private mutating func notePart(of report: ProviderReport) {
        let statesNoCourier = report.source == .cloudEvents && report.courier == nil && report.status == .unassigned
        guard report.statesCourier, !statesNoCourier, courierReports?.parts?[report.source] == nil else { return }
        var reports = courierReports ?? CourierReports()
        reports.parts = (reports.parts ?? [:]).merging([report.source: CourierReports.Part()]) { $1 }
        courierReports = reports
    }

    /// Whether the report may be of the shop's own system: a source of CloudEvents that has reported no courier.
    private func mayBeOfShop(_ report: ProviderReport) -> Bool {
        report.source == .cloudEvents && courierReports?.hasPart(report.source) != true
    }

    /// Whether the report's provider has the delivery, as far as its part and the courier show; so has the shop's system.
    private func isOfPresentPart(_ report: ProviderReport) -> Bool {
        guard courierReports?.isOver(at: report) != true else { return false }
        return mayBeOfShop(report) || isBrought(by: report)
    }

    /// Whether the report ends a provider's own part of a delivery that another brings: then the delivery goes on.
    ///
    /// The shop's own system cancels the delivery of every courier.
    private func isWithdrawal(_ report: ProviderReport) -> Bool {
        let codes: [StatusCode] = [.unassigned, .cancelled, .failed]
        guard let code = report.status, codes.contains(code) else { return false }
        if case .preparing = status, report.successor != nil { return true }
        let isOfCouriers = code == .unassigned || report.successor != nil || !mayBeOfShop(report)
        return isOfCouriers && !isBrought(by: report)
    }

    /// Whether the report's provider brings the delivery, as far as its courier shows; true without a courier.
    ///
    /// Of two deliveries at one provider, only a report that names the courier is about them. A courier whom any
    /// provider reported may be removed by another one.
    private func isBrought(by report: ProviderReport) -> Bool {
        guard let carrier = fetchedFrom ?? courier else { return true }
        return isCourier(carrier.id, of: report)
    }

    /// Whether a courier is of the report's provider, as far as the reports show.
    private func isCourier(_ id: CourierID, of report: ProviderReport) -> Bool {
        if id == report.courier?.id { return true }
        if report.status == .unassigned, report.successor == nil, id == courierReports?.assignment?.courier {
            return true
        }
        return report.successor != report.source
            && (id == unnamedCourierID(of: report.source)
                || courierReports?.names(id, by: report.source) == true)
    }

    /// Ends the provider's part, and removes the courier whom that provider stated, until that courier has the goods.
    ///
    /// Before the pickup a provider without a successor is one beside the shop's own courier, and has no courier to
    /// remove.
    private mutating func withdraw(_ report: ProviderReport) {
        let isPickedUp = status.courierStatus == nil && !status.isEnded
        guard report.successor != nil || isPickedUp && !mayBeOfShop(report) else { return }
        let isOfProvider = courier.map { isCourier($0.id, of: report) } ?? false
        let former = courierReports ?? CourierReports()
        var reports = former
        reports.end(by: report)
        if reports != former { courierReports = reports }
        guard let courier else { return }
        let marks = [reports.assignment, reports.progress]
        let isNamed = marks.contains { $0?.isOf(report.source) == true }
        let isGone = isOfProvider && (report.successor == report.source || !isNamed)
        if fetchedFrom != nil, isGone, !marks.contains(where: { $0?.courier == courier.id }) { return cancelHandOver() }
        guard case .preparing = status else { return }
        if isGone {
            // It throws after the pickup alone.
            try? assign(nil, reason: report.reason, at: max(statusSince, report.effectiveAt))
        } else if let standing = reports.standing, standing.courier == courier.id, reports.isNews(after: former) {
            advanceCourier(to: standing, by: report)
        }
    }

    // MARK: Status

    private mutating func advance(to code: StatusCode, by report: ProviderReport, at now: Date) {
        let at = report.effectiveAt
        noteTimes(of: code, at: at)
        // The courier has handed it over since that attempt, by their word.
        if code == .attempted, let word = proof?.handedOverAt, at <= word {
            // A report of a hand-over until then is doubtful, as where the attempt comes first.
            steppedBackAt = max(steppedBackAt ?? at, at)
            return voidImages(until: at)
        }
        guard !isUndone(code, at: at) else { return }
        switch (status, code.region) {
        case (.preparing(let store, let courier), .store(let reported)):
            if reported.code.rank > store.code.rank {
                enter(.preparing(reported, courier), reason: report.reason, at: at)
            }
        case (.preparing, .courier): break
        case (.preparing, .tail(let reported)): enterTail(reported, by: report, at: now)
        case (.handedOver(let tail), .tail(let reported)):
            let joined = tail.joined(with: reported, wasPickedUp: pickedUpAt != nil)
            if joined != tail {
                enterTail(joined, by: report, at: now)
            } else if reported == tail || (reported == .cancelled && tail == .returning),
                !countsAsOfNow(tail, in: report, at: now)
            {
                statusSince = min(statusSince, at)
                if tail.isEnd { endedAt = endedAt.map { min($0, at) } }
            }
        case (.handedOver, .store), (.handedOver, .courier): break
        }
    }

    private func countsAsOfNow(_ status: TailStatus, in report: ProviderReport, at now: Date) -> Bool {
        status.isEnd && Self.isOverdueEnd(at: report.effectiveAt, now: now)
    }

    /// Whether an end was so long ago that no resync would republish it.
    static func isOverdueEnd(at time: Date, now: Date) -> Bool {
        now.timeIntervalSince(time) > reportedEndHoursMax * 3_600
    }

    private mutating func enterTail(_ next: TailStatus, by report: ProviderReport, at now: Date) {
        var at = countsAsOfNow(next, in: report, at: now) ? now : report.effectiveAt
        var reason = report.reason
        if case .handedOver(.cancelled) = status, next == .returning {
            // The delivery was cancelled although the goods had left: they return, in a new episode with a card of its
            // own.
            episode += 1
            endedAt = nil
            at = report.status == .returning ? min(statusSince, at) : statusSince
            reason = self.reason ?? report.reason
        }
        flags.remove(.reassigning)
        let (claim, undecidedSince) = (proof?.claim, proof?.undecidedSince)
        enter(.handedOver(next), reason: reason, at: at)
        // A person's end or way back decides about a claim; a report does not.
        if next != .delivered, claim != nil {
            proof?.claim = claim
            if !next.isEnd { proof?.undecidedSince = undecidedSince }
        }
        endHandOver()
    }

    /// Keeps the earliest known time of picking and of pickup.
    private mutating func noteTimes(of code: StatusCode, at: Date) {
        switch code.region {
        case .store(let store) where store.code.rank >= StatusCode.picking.rank:
            pickingSince = min(pickingSince ?? at, at)
        case .tail(let tail) where tail.impliesPickup:
            pickingSince = min(pickingSince ?? at, at)
            let isNews = pickedUpAt == nil
            pickedUpAt = min(pickedUpAt ?? at, at)
            if isNews { settleOpenItems() }
        case .store, .courier, .tail: break
        }
    }

    // MARK: Courier

    /// - Parameter hadPart: whether the provider reported before about couriers of the delivery.
    private mutating func applyCourier(of report: ProviderReport, hadPart: Bool) {
        let at = report.occurredAt.map { min($0, report.receivedAt) }
        let isUnassigned = report.status == .unassigned
        var reports = courierReports ?? CourierReports()
        let (former, formerReports, wasCarried) = (courier, reports, isCarriedByProvider)
        guard !reports.isOver(at: report) else {
            if courier == nil, report.statesCourier, !isUnassigned { setReassigning() }
            return
        }
        if report.courier != nil || isUnassigned {
            let mark = CourierReports.Mark(
                at: at, rank: report.status?.rank ?? 0, courier: report.courier?.id, source: report.source)
            if reports.assignment.map({ $0 < mark }) ?? true {
                reports.assignment = mark
                courier = report.courier
            }
        }
        if let code = report.courierCode {
            let mark = CourierReports.Mark(
                at: at, rank: code.rank, courier: report.courier?.id, source: report.source)
            if reports.progress.map({ $0 < mark }) ?? true { reports.progress = mark }
        }
        let standing = reports.standing
        let isNews = reports.isNews(after: formerReports)
        if isNews, let standing {
            advanceCourier(to: standing, by: report)
        } else if !isUnassigned, report.statesCourier,
            reports.assignment.map({ $0.courier == nil }) ?? false, courier == nil
        {
            // A late report reveals an earlier assignment.
            setReassigning()
        }
        if reports != CourierReports() { courierReports = reports }
        let isAssigned = (standing?.rank ?? 0) >= StatusCode.assigned.rank
        // A courier whom a person has removed comes back by a new statement alone.
        if courier == nil, pickedUpAt != nil || isAssigned && (former != nil || isNews) {
            courier = unnamedCourier(of: report)
        }
        if courier != nil, case .preparing(let store, .unassigned) = status {
            // One who was removed is named again, on the way to the store as before.
            enter(.preparing(store, .assigned), reason: report.reason, at: max(statusSince, report.effectiveAt))
        }
        guard courier?.id != former?.id else { return }
        if case .handedOver = status, !status.isEnded { voidVisit(until: report.effectiveAt) }
        followVehicle(from: former, to: courier)
        countAsStop()
        // Reported couriers, also those of the shop's own fleet by CloudEvents, hand over among themselves.
        if fetchedFrom != nil || !wasCarried { beginHandOver(from: former, by: report) }
        assignmentEpoch += 1
        flags.subtract([.courierSilent, .batched])
        stopsBefore = 0
        if courier == nil { setReassigning() } else { flags.remove(.reassigning) }
        let isSame = wasCarried && (formerReports.assignment ?? formerReports.progress)?.isOf(report.source) == true
        guard courier != nil, !isSame, !status.isEnded else { return }
        let hadMark = [formerReports.assignment, formerReports.progress].contains { $0?.isOf(report.source) == true }
        // A provider that has not reported before gets the delivery with its present values, as far as is known.
        if hadMark || hadPart { requireProviderAgain() }
    }

    private mutating func setReassigning() {
        if case .preparing = status { flags.insert(.reassigning) }
    }

    private mutating func advanceCourier(to standing: CourierReports.Mark, by report: ProviderReport) {
        guard case .preparing(let store, let present) = status, let reported = standing.courierStatus else { return }
        if reported != present { enter(.preparing(store, reported), reason: report.reason, at: report.effectiveAt) }
    }

    /// A placeholder for a courier whom the provider does not name.
    private func unnamedCourier(of report: ProviderReport) -> Courier? {
        unnamedCourierID(of: report.source).map {
            Courier(id: $0, name: report.sourceName, vehicle: .car, phone: nil)
        }
    }

    private func unnamedCourierID(of provider: ProviderID) -> CourierID? { CourierID(rawValue: "\(provider)-\(id)") }
}

extension ProviderReport {
    /// The report's statement about the courier's way to the store.
    fileprivate var courierCode: StatusCode? {
        if let status, case .courier = status.region { status } else { nil }
    }

    /// Whether the report is about a courier.
    fileprivate var statesCourier: Bool { courier != nil || courierCode != nil }
}

extension TailStatus {
    /// Whether the goods have left the store.
    var impliesPickup: Bool { self != .cancelled && self != .failed }

    /// Merges the statuses of two reports about one delivery; the order of the two does not matter.
    func joined(with other: TailStatus, wasPickedUp: Bool) -> TailStatus {
        let higher = precedence >= other.precedence ? self : other
        let haveLeft = wasPickedUp || impliesPickup || other.impliesPickup
        return higher == .cancelled && haveLeft ? .returning : higher
    }

    /// Of two ends, the one that locates the goods more precisely has precedence.
    private var precedence: Int {
        switch self {
        case .pickedUp: 0
        case .enRoute: 1
        case .arriving: 2
        case .atDoor: 3
        case .attempted: 4
        case .returning: 5
        case .cancelled: 6
        case .failed: 7
        case .returned: 8
        case .delivered: 9
        }
    }
}

extension ProviderReport {
    /// The report without what it has of a courier.
    fileprivate var withoutCourier: ProviderReport {
        ProviderReport(
            source: source, sourceName: sourceName, id: id, kind: kind, status: status == .unassigned ? nil : status,
            occurredAt: occurredAt, receivedAt: receivedAt, reason: reason, isLate: isLate, proofs: proofs,
            successor: successor)
    }
}
