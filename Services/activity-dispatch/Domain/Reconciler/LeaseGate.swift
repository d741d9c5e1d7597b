import Foundation
import LiveActivity

/// The reason and the end of a ban on leasing pushes for a device's cards; times are domain time.
///
/// A push that may not be sent is not leased: it would cost a row of the ledger and a lease each time.
struct LeaseGate: Hashable, Sendable {
    /// The time until which the push queue counts as full; nil while it has room.
    var fullUntil: Date?
    /// The end of the halt for the device's app, by the environment of the push's token.
    var haltedUntil: [PushTokenBody.Environment: Date] = [:]

    /// The reason why a due push has to wait.
    ///
    /// - Parameter token: the push's token.
    /// - Returns: nil where it may be leased.
    func wait(for token: PushToken?) -> Decision? {
        if let until = haltedUntil[token?.environment ?? .production] { return .wait(until: until, .halted) }
        return fullUntil.map { .wait(until: $0, .queueFull) }
    }
}
