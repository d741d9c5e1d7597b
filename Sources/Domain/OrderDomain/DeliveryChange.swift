public import Foundation

/// One change that a person, a service or a timer asks of a delivery.
public enum DeliveryChange: Hashable, Sendable {
    case status(StatusCode, reason: String?, notice: CustomerNotice = CustomerNotice())
    /// An operator's correction: it may reopen an ended delivery, and skip statuses.
    case override(StatusCode, reason: String, notice: CustomerNotice = CustomerNotice())
    /// Nil takes the courier off.
    case courier(Courier?)
    /// How many stops the courier's trip has before this one.
    case stopsBefore(Int)
    /// What the store reports about an item, with what the customer gets back for it.
    case item(ItemID, ItemChange, refundMinorUnits: Int? = nil)
    /// The customer's answer about the proposal with this number.
    case answer(ItemID, proposal: Int, isApproved: Bool)
    /// The customer did not answer in time.
    case answerOverdue(ItemID, proposal: Int)
    case leaveAtDoor
    case promise(Promise)
    case hold(reason: String)
    case release
    /// A milestone that `courier-eta` detected; ignored when it belongs to a former assignment.
    case milestone(Milestone, assignmentEpoch: Int)
    /// What the provider that carries the delivery reports; never refused.
    case report(ProviderReport)
}

/// What the store reports about one item.
public enum ItemChange: Hashable, Sendable {
    case found(quantity: Int)
    case outOfStock
    case proposed(Substitute, answerUntil: Date)
    case substituted(Substitute)
    case removed
    case refunded
}

/// Something an estimate noticed.
public enum Milestone: String, CaseIterable, Hashable, Codable, Sendable {
    case nearStore = "near_store"
    case leftStore = "left_store"
    case arriving
    case atDoor = "at_door"
    /// The courier stands still at no stop.
    case standing
    /// The courier moves again.
    case moving
    /// The courier's phone sends nothing any more, for longer than it usually pauses.
    case silent
    /// The courier's phone sends fixes again.
    case reporting = "heard"
    /// The promise will be missed.
    case late
    /// It will be kept after all.
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
    /// The delivery is past pickup; items change only before it.
    case notInStore
    /// The delivery has gone too far for this change; the text says why.
    case tooLate(String)
    case cannotLeaveAtDoor(HandoffVerification)
    /// An ended delivery cannot go on with this code.
    case cannotReopen(StatusCode)
    /// The status needs an assigned courier.
    case courierMissing
    /// In this status nothing went wrong that a customer could be told the reason of.
    case nothingToExplain(StatusCode)
}
