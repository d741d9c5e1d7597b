import Foundation
import LiveActivity

/// Why no push may be leased for a device's cards now, and until when; times are domain time.
///
/// What may not be sent is not leased: it would cost a row of the ledger and a lease each time.
struct LeaseGate: Hashable, Sendable {
    /// Until when as many pushes wait to be sent as may; nil while there is room.
    var fullUntil: Date?
    /// Until when nothing is sent for the device's app, by the environment of the token that a push would go to.
    var haltedUntil: [PushTokenBody.Environment: Date] = [:]

    /// What a push waits for that is due now.
    ///
    /// - Parameter token: the one that it would go to.
    /// - Returns: nil where it may be leased.
    func wait(for token: PushToken?) -> Decision? {
        if let until = haltedUntil[token?.environment ?? .production] { return .wait(until: until, .halted) }
        return fullUntil.map { .wait(until: $0, .queueFull) }
    }
}
