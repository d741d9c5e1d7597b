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
    /// The courier entered a PIN, which was compared with the customer's.
    ///
    /// A wrong one has the id of its entry, so that the same entry counts once however often it is sent; nil without ids.
    case pin(isRight: Bool, entry: UUID? = nil)
    /// The courier checked the age of the person at the door; a refused check sends the goods back.
    case age(isPassed: Bool)
    /// The courier's photo of the bag, or the signature of the person at the door; the text is the image's hash.
    case image(ProofKind, String)
    /// The courier read or typed the bag's barcode.
    case barcode(String)
    /// A person is to decide about a hand-over for which a proof is missing.
    case proofDecision
    /// The customer has the goods by the courier's word, as without a network, and a proof is missing.
    case handedOverUnconfirmed
    /// The customer wants the goods to be left at the door.
    case leaveAtDoor
    /// The customer withdraws `leaveAtDoor`.
    case handToCustomer
    case promise(Promise)
    /// New values for door, address, recipient and note, without the values that the delivery already has.
    case correct(DropOffCorrection)
    /// Items that the customer adds to the placed order.
    case addItems([Item])
    /// The customer asks for another address, which the shop confirms by a correction or declines.
    case requestAddress(Address)
    /// A person did what a correction waited for: informed the provider, or declined the customer's request.
    case settleCorrection(CorrectionDue)
    case hold(reason: String)
    case release
    /// The courier doubts the reported end, such as a hand-over at the wrong door; an operator decides about it.
    case dispute(reason: String)
    /// The customer's word about a delivered delivery, with the items that it is about.
    case feedback(DeliveryFeedback.Kind, items: [ItemID])
    /// A milestone that `courier-eta` detected; ignored when it is of a former assignment, of a former door, or of a
    /// former promise.
    case milestone(Milestone, assignmentEpoch: Int, door: Coordinate? = nil, promiseEnd: Date? = nil)
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
    /// The goods cannot be left at the door, since a person there gives these proofs.
    case personNeeded([ProofKind])
    /// The delivery cannot be delivered without these proofs.
    case proofMissing([ProofKind])
    /// The delivery requires no such proof.
    case proofNotRequired(ProofKind)
    /// No further PIN is compared; an operator decides.
    case pinTriesUsed
    /// The delivery has as many photos and signatures as one may have.
    case tooManyImages
    /// The barcode is not the bag's.
    case wrongBarcode
    /// The order has no barcode to compare with; an operator decides.
    case barcodeUnknown
    /// An ended delivery cannot be reopened with this code.
    case cannotReopen(StatusCode)
    /// Feedback is about a delivered delivery, and this one is not.
    case notDelivered(StatusCode)
    /// The status needs an assigned courier.
    case courierMissing
    /// This status is not a failure, so the customer needs no reason.
    case nothingToExplain(StatusCode)
    /// The address would have no street, or the recipient no name.
    case incomplete(CorrectedField)
    /// Another street, postal code or city came without the door's position.
    case doorMissing
    /// The basket has an item with this id already.
    case itemExists(ItemID)
    /// The basket would have more items than a delivery may have, which is this number.
    case tooManyItems(Int)
}
