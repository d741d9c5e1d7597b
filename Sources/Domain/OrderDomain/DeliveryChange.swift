public import Foundation

/// One change of a delivery, requested by a person, a service or a timer.
public enum DeliveryChange: Hashable, Sendable {
    case status(StatusCode, reason: String?, notice: CustomerNotice = CustomerNotice())
    /// An operator's correction: it may reopen an ended delivery, and skip statuses.
    case override(StatusCode, reason: String, notice: CustomerNotice = CustomerNotice())
    /// Nil removes the courier.
    ///
    /// The stops before this one on the courier's trip change too: to the given number, or to none for another courier.
    case courier(Courier?, stopsBefore: Int? = nil)
    /// The number of stops before this one on the courier's trip.
    case stopsBefore(Int)
    /// The store's report about an item, with the customer's refund for it.
    case item(ItemID, ItemChange, refundMinorUnits: Int? = nil)
    /// The customer's answer about the proposal with this number.
    case answer(ItemID, proposal: Int, isApproved: Bool)
    /// The customer did not answer in time.
    case answerOverdue(ItemID, proposal: Int)
    /// The customer wants the goods to be left at the door.
    case leaveAtDoor
    /// The customer withdraws `leaveAtDoor`.
    case handToCustomer
    case promise(Promise)
    case hold(reason: String)
    case release
    /// The courier doubts the reported end, such as a hand-over at the wrong door; an operator decides about it.
    case dispute(reason: String)
    /// A milestone that `courier-eta` detected; ignored when it belongs to a former assignment.
    case milestone(Milestone, assignmentEpoch: Int)
    /// A report of the delivery's provider; never refused.
    case report(ProviderReport)
}

/// The store's report about one item.
public enum ItemChange: Hashable, Sendable {
    case found(quantity: Int)
    case outOfStock
    case proposed(Substitute, answerUntil: Date)
    case substituted(Substitute)
    case removed
    case refunded
}

/// An event that `courier-eta` detects from fixes and estimates.
public enum Milestone: String, CaseIterable, Hashable, Codable, Sendable {
    case nearStore = "near_store"
    case leftStore = "left_store"
    case arriving
    case atDoor = "at_door"
    /// The courier stands still at no stop.
    case standing
    /// The courier moves again.
    case moving
    /// The courier's phone has sent no fixes for longer than its usual pauses.
    case silent
    /// The courier's phone sends fixes again.
    case reporting = "heard"
    /// The promise will be missed.
    case late
    /// The promise will be kept again.
    case onTime = "on_time"
}

/// Why a change was refused; the delivery is as it was.
public enum ChangeRefusal: Error, Hashable, Sendable {
    case transition(InvalidTransition)
    case unknownItem(ItemID, known: [ItemID])
    /// The item was already answered, removed or refunded.
    case itemSettled(ItemID, ItemStatus)
    case wrongQuantity(ItemID, ordered: Int)
    /// The customer answered another proposal than the open one.
    case staleProposal(ItemID)
    /// The answer to a proposal would come after the end of the promise, which is this time.
    case answerAfterPromise(Date)
    /// The delivery is past pickup; items change only before it.
    case notInStore
    /// The delivery has advanced too far for this change; the text is the reason.
    case tooLate(String)
    case cannotLeaveAtDoor(HandoffVerification)
    /// An ended delivery cannot be reopened with this code.
    case cannotReopen(StatusCode)
    /// The status needs an assigned courier.
    case courierMissing
    /// This status is not a failure, so the customer needs no reason.
    case nothingToExplain(StatusCode)
}
