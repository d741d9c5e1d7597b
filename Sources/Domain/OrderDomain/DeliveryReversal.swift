import Foundation

/// The reverse patch of a change: applied to the delivery after the change, it gives the delivery before it.
///
/// It contains only the changed properties, so that every version of a delivery can be kept for a few hundred bytes
/// each. It never contains a former door: the position of an address that an order no longer has is not kept.
public struct DeliveryReversal: Hashable, Codable, Sendable {
    /// A value that may be absent: its absence is a value of its own.
    fileprivate struct Former<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
        var value: Value?
    }

    private var promise: Promise?
    private var promisedAt: Former<Date>?
    private var handoff: Handoff?
    private var proof: Former<DeliveryProof>?
    private var handoffChanges: Former<Int>?
    /// The items that changed, as they were; they are found by their ids.
    private var items: [Item]?
    /// The number of items where some were added at the end; nil where none was.
    private var itemCount: Int?
    private var status: DeliveryStatus?
    private var flags: Set<Flag>?
    private var courier: Former<Courier>?
    private var fetchedFrom: Former<Courier>?
    private var brokenDownCourier: Former<CourierID>?
    private var leftUndone: Former<Bool>?
    private var assignmentEpoch: Int?
    private var courierReports: Former<CourierReports>?
    private var stopsBefore: Int?
    private var needsCustomerUntil: Former<Date>?
    private var episode: Int?
    private var formerApproaches: Former<Int>?
    private var steppedBackAt: Former<Date>?
    private var statusSince: Date?
    private var pickingSince: Former<Date>?
    private var pickedUpAt: Former<Date>?
    private var endedAt: Former<Date>?
    private var disputedAt: Former<Date>?
    private var feedback: Former<DeliveryFeedback>?
    private var reopenedFrom: Former<StatusCode>?
    private var correction: Former<Correction>?
    private var dropOffCorrectedAt: Former<Date>?
    private var correctionsDue: Former<[CorrectionDue]>?
    private var addressRequests: Former<Int>?
    private var reason: Former<String>?
    private var customerReason: Former<CustomerReason>?
    private var nextStep: Former<NextStep>?
    private var refundMinorUnits: Former<Int>?

    /// - Parameters:
    ///   - before: the delivery as it was.
    ///   - after: the same delivery one version later.
    public init(from before: Delivery, to after: Delivery) {
        promise = former(before.promise, after.promise)
        promisedAt = former(before.promisedAt, after.promisedAt)
        handoff = former(before.handoff, after.handoff)
        proof = former(before.proof, after.proof)
        handoffChanges = former(before.handoffChanges, after.handoffChanges)
        let changed = zip(before.items, after.items).compactMap { $0 == $1 ? nil : $0 }
        items = changed.isEmpty ? nil : changed
        itemCount = former(before.items.count, after.items.count)
        status = former(before.status, after.status)
        flags = former(before.flags, after.flags)
        courier = former(before.courier, after.courier)
        fetchedFrom = former(before.fetchedFrom, after.fetchedFrom)
        brokenDownCourier = former(before.brokenDownCourier, after.brokenDownCourier)
        leftUndone = former(before.leftUndone, after.leftUndone)
        assignmentEpoch = former(before.assignmentEpoch, after.assignmentEpoch)
        courierReports = former(before.courierReports, after.courierReports)
        stopsBefore = former(before.stopsBefore, after.stopsBefore)
        needsCustomerUntil = former(before.needsCustomerUntil, after.needsCustomerUntil)
        episode = former(before.episode, after.episode)
        formerApproaches = former(before.formerApproaches, after.formerApproaches)
        steppedBackAt = former(before.steppedBackAt, after.steppedBackAt)
        statusSince = former(before.statusSince, after.statusSince)
        pickingSince = former(before.pickingSince, after.pickingSince)
        pickedUpAt = former(before.pickedUpAt, after.pickedUpAt)
        endedAt = former(before.endedAt, after.endedAt)
        disputedAt = former(before.disputedAt, after.disputedAt)
        feedback = former(before.feedback, after.feedback)
        reopenedFrom = former(before.reopenedFrom, after.reopenedFrom)
        correction = former(before.correction, after.correction)
        dropOffCorrectedAt = former(before.dropOffCorrectedAt, after.dropOffCorrectedAt)
        correctionsDue = former(before.correctionsDue, after.correctionsDue)
        addressRequests = former(before.addressRequests, after.addressRequests)
        reason = former(before.reason, after.reason)
        customerReason = former(before.customerReason, after.customerReason)
        nextStep = former(before.nextStep, after.nextStep)
        refundMinorUnits = former(before.refundMinorUnits, after.refundMinorUnits)
    }

    /// The delivery before the change, one version earlier.
    public func callAsFunction(_ after: Delivery) -> Delivery {
        var before = after
        before.version -= 1
        if let itemCount { before.items = Array(after.items.prefix(itemCount)) }
        for item in items ?? [] {
            if let place = before.items.firstIndex(where: { $0.id == item.id }) { before.items[place] = item }
        }
        before.promise = promise ?? after.promise
        before.handoff = handoff ?? after.handoff
        before.status = status ?? after.status
        before.flags = flags ?? after.flags
        before.assignmentEpoch = assignmentEpoch ?? after.assignmentEpoch
        before.stopsBefore = stopsBefore ?? after.stopsBefore
        before.episode = episode ?? after.episode
        before.statusSince = statusSince ?? after.statusSince
        if let promisedAt { before.promisedAt = promisedAt.value }
        if let proof { before.proof = proof.value }
        if let handoffChanges { before.handoffChanges = handoffChanges.value }
        if let courier { before.courier = courier.value }
        if let fetchedFrom { before.fetchedFrom = fetchedFrom.value }
        if let brokenDownCourier { before.brokenDownCourier = brokenDownCourier.value }
        if let leftUndone { before.leftUndone = leftUndone.value }
        if let courierReports { before.courierReports = courierReports.value }
        if let formerApproaches { before.formerApproaches = formerApproaches.value }
        if let steppedBackAt { before.steppedBackAt = steppedBackAt.value }
        if let needsCustomerUntil { before.needsCustomerUntil = needsCustomerUntil.value }
        if let pickingSince { before.pickingSince = pickingSince.value }
        if let pickedUpAt { before.pickedUpAt = pickedUpAt.value }
        if let endedAt { before.endedAt = endedAt.value }
        if let disputedAt { before.disputedAt = disputedAt.value }
        if let feedback { before.feedback = feedback.value }
        if let reopenedFrom { before.reopenedFrom = reopenedFrom.value }
        if let correction { before.correction = correction.value }
        if let dropOffCorrectedAt { before.dropOffCorrectedAt = dropOffCorrectedAt.value }
        if let correctionsDue { before.correctionsDue = correctionsDue.value }
        if let addressRequests { before.addressRequests = addressRequests.value }
        if let reason { before.reason = reason.value }
        if let customerReason { before.customerReason = customerReason.value }
        if let nextStep { before.nextStep = nextStep.value }
        if let refundMinorUnits { before.refundMinorUnits = refundMinorUnits.value }
        return before
    }

    /// The patch with a pseudonym in the place of an erased courier.
    public func without(_ erased: ErasedCourier) -> DeliveryReversal {
        var patch = self
        if let courier { patch.courier = Former(value: erased.replacing(courier.value)) }
        if let fetchedFrom { patch.fetchedFrom = Former(value: erased.replacing(fetchedFrom.value)) }
        if let brokenDownCourier { patch.brokenDownCourier = Former(value: erased.replacing(brokenDownCourier.value)) }
        if let courierReports { patch.courierReports = Former(value: courierReports.value?.without(erased)) }
        if let proof { patch.proof = Former(value: proof.value?.without(erased)) }
        if let reason { patch.reason = Former(value: reason.value.map(erased.redacted)) }
        return patch
    }
}

/// A property of the delivery as it was; nil where it did not change.
private func former<Value: Equatable>(_ before: Value, _ after: Value) -> Value? { before == after ? nil : before }

private func former<Value: Equatable>(_ before: Value?, _ after: Value?) -> DeliveryReversal.Former<Value>? {
    before == after ? nil : DeliveryReversal.Former(value: before)
}
