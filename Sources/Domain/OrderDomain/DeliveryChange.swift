public import Foundation

/// One thing that someone asks of a delivery.
public enum DeliveryChange: Hashable, Sendable {
    case status(StatusCode, reason: String?)
    /// An operator's word: also out of an end, and past the order of statuses.
    case override(StatusCode, reason: String)
    /// Nil takes the courier off.
    case courier(Courier?)
    /// The place on the courier's trip.
    case stopsBefore(Int)
    case item(ItemID, ItemChange)
    /// The customer's answer about the proposal with this number.
    case answer(ItemID, proposal: Int, isApproved: Bool)
    /// The customer did not answer in time.
    case answerOverdue(ItemID, proposal: Int)
    case leaveAtDoor
    case promise(Promise)
    case hold(reason: String)
    case release
    /// What `courier-eta` noticed; ignored when it speaks of a former assignment.
    case milestone(Milestone, assignmentEpoch: Int)
}

/// What the store says about one item.
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
    /// The courier stands still where nobody expects it; goes on.
    case standing, moving
    case silent, heard
    /// The promise will be missed.
    case late
    /// It will be kept after all.
    case onTime = "on_time"
}

/// Why a change was not made.
public enum ChangeRefused: Error, Hashable, Sendable {
    case transition(InvalidTransition)
    case unknownItem(ItemID)
    /// The item is past this: it was answered, removed or refunded.
    case itemSettled(ItemID, ItemStatus)
    case wrongQuantity(ItemID, ordered: Int)
    /// The customer answered another proposal than the one that stands.
    case staleProposal(ItemID)
    /// Items can change until pickup.
    case notInStore
    /// What is asked is impossible at this point of the way.
    case tooLate(String)
    case cannotLeaveAtDoor(HandoffVerification)
    case cannotReopen(StatusCode)
    case courierMissing
}
