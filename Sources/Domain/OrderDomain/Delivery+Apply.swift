public import Foundation

extension Delivery {
    /// Applies one change, which raises the version by one; a refused change leaves the delivery as it was.
    ///
    /// - Parameter author: the person whose proof or decision about one is recorded, such as `courier mira`.
    /// - Returns: false if the delivery already has the requested state; then the version stays.
    /// - Throws: ``ChangeRefusal`` where the delivery's state forbids the change.
    public mutating func apply(
        _ change: DeliveryChange, at now: Date, by author: String? = nil
    ) throws(ChangeRefusal) -> Bool {
        var next = self
        try next.perform(change, at: now, by: author)
        next.confirmHandOver(at: now)
        guard next != self else { return false }
        try next.checkProofs(after: status)
        next.version = version + 1
        self = next
        return true
    }

    private mutating func perform(
        _ change: DeliveryChange, at now: Date, by author: String?
    ) throws(ChangeRefusal) {
        switch change {
        case .status(let code, let reason, let notice):
            try move(to: code, reason: reason, at: now)
            try notify(notice)
        case .override(let code, let reason, let notice):
            try override(as: code, reason: reason, at: now, by: author)
            try notify(notice)
        case .courier(let courier, let stopsBefore):
            try assign(courier, reason: nil, at: now)
            if let stopsBefore, courier != nil { try setStopsBefore(stopsBefore) }
        case .stopsBefore(let count): try setStopsBefore(count)
        case .item(let id, let change, let refund): try changeItem(id, change, refundMinorUnits: refund, at: now)
        case .answer(let id, let proposal, let isApproved): try answer(id, proposal: proposal, isApproved: isApproved)
        case .answerOverdue(let id, let proposal): answerOverdue(id, proposal: proposal)
        case .pin(let isRight, let entry): try enterPIN(isRight: isRight, entry: entry, by: author, at: now)
        case .age(let isPassed): try checkAge(isPassed: isPassed, by: author, at: now)
        case .image(let kind, let image): try giveImage(kind, image, by: author, at: now)
        case .barcode(let text): try readBarcode(text, by: author, at: now)
        case .proofDecision: askForDecision(at: now)
        case .handedOverUnconfirmed: keepHandOver(at: now)
        case .leaveAtDoor: try leaveAtDoor()
        case .handToCustomer: try handToCustomer()
        case .promise(let promise): try reschedule(promise, at: now)
        case .correct(let correction): try correct(correction, at: now)
        case .addItems(let items): try add(items, at: now)
        case .requestAddress: try requestAddress()
        case .settleCorrection(let due): settle(due)
        case .hold(let reason): try hold(reason: reason)
        case .release: release(at: now)
        case .dispute(let reason): try dispute(reason: reason, at: now)
        case .feedback(let kind, let items): try recordFeedback(kind, about: items, at: now)
        case .milestone(let milestone, let epoch, let reached, let promised):
            if epoch == assignmentEpoch, reached ?? door == door, promised ?? promise.end == promise.end {
                reach(milestone, at: now)
            }
        case .report(let report): apply(report, at: now)
        }
    }

    // MARK: Status

    private mutating func move(to requested: StatusCode, reason: String?, at now: Date) throws(ChangeRefusal) {
        let code = effectiveCode(of: requested)
        if code == .pickedUp, fetchedFrom != nil {
            fetchedFrom = nil
            return
        }
        if code == status.code || code == status.courierStatus?.code {
            if code == .attempted { confirmAttempt(at: now) }
            return
        }
        if code == .unassigned, case .preparing = status {
            try assign(nil, reason: reason, at: now)
            return
        }
        enter(try nextStatus(code), reason: reason, at: now)
        endHandOver()
        if code == .attempted { refuteHandOver(at: now) }
    }

    /// A cancel after pickup asks for the goods' return.
    private func effectiveCode(of code: StatusCode) -> StatusCode {
        if code == .cancelled, case .handedOver(let tail) = status, !tail.isEnd { return .returning }
        return code
    }

    private mutating func override(
        as requested: StatusCode, reason: String, at now: Date, by author: String?
    ) throws(ChangeRefusal) {
        let code = effectiveCode(of: requested)
        if code == status.code {
            if code == .attempted { confirmAttempt(at: now) }
            guard disputedAt != nil else { return }
            // The decision about a dispute: it was as reported. A reopened delivery stays on record as such.
            disputedAt = nil
            if episode == 1 { flags.remove(.disputed) }
            self.reason = reason
            settleFeedback(at: now)
            return
        }
        if code == .delivered { waiveProofs(reason: reason, by: author, at: now) }
        if status.isEnded {
            if code == .delivered, correctEnd(reason: reason, at: now) { return }
            try reopen(as: code, reason: reason, at: now)
            return
        }
        switch (status, code.region) {
        case (.preparing(_, let courierStatus), .store(let store)):
            enter(.preparing(store, courierStatus), reason: reason, at: now)
        case (.handedOver, .store), (_, .courier):
            try move(to: code, reason: reason, at: now)
        case (_, .tail(.delivered)): decideHandOver(reason: reason, at: now)
        case (_, .tail(let tail)):
            enter(.handedOver(tail), reason: reason, at: now)
            endHandOver()
            if tail == .attempted { refuteHandOver(at: now) }
        }
    }

    /// Sets an ended delivery to another status.
    ///
    /// Another end corrects the record; a live status begins a new episode, and one in the store removes the courier.
    private mutating func reopen(as code: StatusCode, reason: String, at now: Date) throws(ChangeRefusal) {
        guard let reopened = status.reopened(as: code) else { throw .cannotReopen(code) }
        flags.insert(.disputed)
        endedAt = nil
        settleFeedback(at: now)
        if !reopened.isEnded {
            episode += 1
            reopenedFrom = status.code
            feedback = nil
            voidProofs()
            // The end closed this step.
            requireProviderAgain()
        }
        if case .preparing = reopened {
            courier = nil
            assignmentEpoch += 1
            pickingSince = nil
            pickedUpAt = nil
        }
        enter(reopened, reason: reason, at: now)
        endHandOver()
    }

    /// Stores a customer notice; nil properties of the notice leave the delivery's values.
    private mutating func notify(_ notice: CustomerNotice) throws(ChangeRefusal) {
        if notice.reason != nil || notice.nextStep != nil {
            guard status.hasGoneWrong else { throw .nothingToExplain(status.code) }
            customerReason = notice.reason ?? customerReason
            nextStep = notice.nextStep ?? nextStep
        }
        refundMinorUnits = notice.refundMinorUnits ?? refundMinorUnits
    }

    mutating func enter(_ next: DeliveryStatus, reason: String?, at now: Date) {
        // The refund is for goods that do arrive after all; one of before goes too.
        if status.isWithoutGoods, !next.isWithoutGoods { refundMinorUnits = nil }
        if status.isApproachAbandoned(by: next) { formerApproaches = (formerApproaches ?? 0) + 1 }
        noteStepBack(to: next, at: now)
        countAsStop()
        status = next
        disputedAt = nil
        // A hold keeps its reason until the end; the timeline has the status's own.
        if !flags.contains(.onHold) || next.isEnded { self.reason = reason }
        statusSince = now
        if !next.hasGoneWrong {
            customerReason = nil
            nextStep = nil
        }
        switch next {
        case .preparing(.placed, _), .preparing(.accepted, _): break
        case .preparing(.picking, _), .preparing(.staged, _): pickingSince = pickingSince ?? now
        case .handedOver(let tail):
            // A delivery that was cancelled or lost in the store was never picked up.
            if tail != .cancelled, tail != .failed {
                pickingSince = pickingSince ?? now
                pickedUpAt = pickedUpAt ?? now
            }
            settleOpenItems()
            if tail.isEnd {
                endedAt = now
                // Flags about the present end with the delivery; flags about its promise and its dispute are kept as
                // its record.
                flags.formIntersection([.disputed, .rescheduled, .delayed])
                stopsBefore = 0
                fetchedFrom = nil
                brokenDownCourier = nil
                leftUndone = nil
                correctionsDue = nil
            }
            if tail.isEnd || tail == .returning { endDecision() }
            if tail == .attempted { voidVisit(until: now) }
        }
    }

    /// Refunds open proposals, since the bag is closed, and counts items that were never reported as found.
    ///
    /// Without a pickup unreported items stay pending, so that the store can continue picking if the delivery is
    /// reopened.
    mutating func settleOpenItems() {
        for index in items.indices {
            switch items[index].status {
            case .substituteProposed:
                items[index].status = .refunded
            case .pending:
                guard pickedUpAt != nil else { continue }
                items[index].status = .found
                items[index].foundQuantity = items[index].quantity
            case .found, .short, .substituted, .outOfStock, .removed, .refunded:
                continue
            }
        }
        updateNeedsCustomer(until: nil)
    }

    // MARK: Courier

    mutating func assign(_ new: Courier?, reason: String?, at now: Date) throws(ChangeRefusal) {
        if new == courier { return }
        guard !status.isEnded else { throw .tooLate("the delivery has ended") }
        guard let new else {
            guard case .preparing(let store, _) = status else {
                throw .tooLate("the goods are with \(courier?.name ?? "a courier"); assign another courier instead")
            }
            followVehicle(from: courier, to: nil)
            courier = nil
            assignmentEpoch += 1
            flags.subtract([.courierSilent, .batched])
            flags.insert(.reassigning)
            stopsBefore = 0
            enter(.preparing(store, .unassigned), reason: reason, at: now)
            return
        }
        if new.id == courier?.id {
            courier = new
            return
        }
        followVehicle(from: courier, to: new)
        countAsStop()
        // The shop's own courier reads the present values.
        settle(.provider)
        leaveDecision()
        beginHandOver(to: new, at: now)
        courier = new
        // The undo of a move gives it back to the provider's courier.
        requireProviderAgain()
        assignmentEpoch += 1
        flags.subtract([.reassigning, .courierSilent, .batched])
        stopsBefore = 0
        if case .preparing(let store, _) = status { enter(.preparing(store, .assigned), reason: nil, at: now) }
    }

    /// Releases a delivery that a broken vehicle holds for another courier, and holds it again for the same one, as the
    /// undo of a move does.
    mutating func followVehicle(from former: Courier?, to next: Courier?) {
        let isHeldForVehicle = flags.contains(.onHold) && reason == CourierProblem.vehicle.reason
        if isHeldForVehicle, let former { brokenDownCourier = former.id }
        guard let next, let broken = brokenDownCourier else { return }
        if next.id == broken {
            brokenDownCourier = nil
            if flags.insert(.onHold).inserted { reason = CourierProblem.vehicle.reason }
        } else if isHeldForVehicle {
            endHold()
        }
    }

    private mutating func setStopsBefore(_ count: Int) throws(ChangeRefusal) {
        guard courier != nil else { throw .courierMissing }
        guard !status.isEnded else { throw .tooLate("the delivery has ended") }
        stopsBefore = max(0, count)
        if stopsBefore > 0 { flags.insert(.batched) } else { flags.remove(.batched) }
    }

    // MARK: Promise, hold, hand-off

    private mutating func reschedule(_ new: Promise, at now: Date) throws(ChangeRefusal) {
        guard new != promise else { return }
        try checkCorrectable(.promise)
        promise = new
        promisedAt = now
        if new == originalPromise { flags.remove(.rescheduled) } else { flags.insert(.rescheduled) }
        flags.remove(.delayed)
        if isCarriedByProvider { require(.provider) }
    }

    private mutating func hold(reason: String) throws(ChangeRefusal) {
        guard !status.isEnded else { throw .tooLate("the delivery has ended") }
        let isLeft = isLeftUndone || CourierProblem(reason: reason)?.isOfOneStop == true
        flags.insert(.onHold)
        self.reason = reason
        // Goods that were handed over by the courier's word are left at no stop.
        if isLeft { leftUndone = proof?.handedOverAt == nil }
    }

    /// Ends the hold; a courier who left for other stops, and has not handed it over by their word, has the approach to
    /// the door ahead again.
    private mutating func release(at now: Date) {
        let wasLeft = isLeftUndone && proof?.handedOverAt == nil
        endHold()
        guard wasLeft, status == .handedOver(.arriving) || status == .handedOver(.atDoor) else { return }
        enter(.handedOver(.enRoute), reason: nil, at: now)
    }

    mutating func endHold() {
        guard flags.remove(.onHold) != nil else { return }
        reason = nil
        leftUndone = nil
    }

    private mutating func leaveAtDoor() throws(ChangeRefusal) {
        if handoff.method == .leaveAtDoor { return }
        switch status {
        case .preparing, .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving): break
        case .handedOver: throw .tooLate("the courier is at the door already, or the delivery is on its way back")
        }
        guard handoff.verification == .none else { throw .cannotLeaveAtDoor(handoff.verification) }
        let personal = requiredProofs.filter(\.needsPerson)
        guard personal.isEmpty else { throw .personNeeded(personal) }
        changeHandoff(to: .leaveAtDoor)
    }

    mutating func handToCustomer() throws(ChangeRefusal) {
        if handoff.method == .handToCustomer { return }
        guard case .preparing = status else { throw .tooLate("the courier has the groceries already") }
        changeHandoff(to: .handToCustomer)
    }

    mutating func dispute(reason: String, at now: Date) throws(ChangeRefusal) {
        guard status.isEnded else { throw .tooLate("the delivery goes on; put it on hold instead") }
        flags.insert(.disputed)
        disputedAt = disputedAt ?? now
        self.reason = reason
    }
}
