import Foundation
import OrderDomain

/// One press of a courier's: it can be undone until it is due, and is carried out then.
struct CourierPress: Hashable, Sendable {
    /// Wall seconds in which a press can be undone.
    static let undoSeconds = 10.0

    /// The page's own: a press that is sent again is the same.
    let id: UUID
    let courier: CourierID
    let delivery: DeliveryID
    let action: CourierAction
    var state: State
    /// Domain time.
    let pressedAt: Date
    /// Domain time.
    let dueAt: Date

    enum State: String, CaseIterable, Hashable, Sendable {
        case waiting, done, undone
        /// It was not possible any more when it was due.
        case refused
    }
}
