import Foundation
import OrderDomain

/// One press of a courier: it can be undone until its due time, when it is executed.
struct CourierPress: Hashable, Sendable {
    /// Wall seconds in which a press can be undone.
    static let undoSeconds = 10.0

    /// The page's own: a press that is sent again is the same.
    let id: UUID
    let courier: CourierID
    let delivery: DeliveryID
    let action: CourierAction
    /// The presses that were made at once with it, and are undone together; nil for a press about one delivery.
    var group: UUID?
    var state: State
    /// Domain time.
    let pressedAt: Date
    /// Domain time.
    let dueAt: Date

    enum State: String, CaseIterable, Hashable, Sendable {
        case waiting, done, undone
        /// The action was no longer legal at its due time.
        case refused
    }
}

extension StatusCode {
    /// Whether a waiting press may be executed before a change to this status: the press decides whether the goods are in the
    /// store, with the courier or with the customer.
    var overtakesPress: Bool {
        switch self {
        case .attempted, .cancelled, .failed, .returning, .returned, .unassigned: true
        case .placed, .accepted, .picking, .staged, .assigned, .toStore, .atStore, .pickedUp, .enRoute, .arriving,
            .atDoor, .delivered:
            false
        }
    }
}
