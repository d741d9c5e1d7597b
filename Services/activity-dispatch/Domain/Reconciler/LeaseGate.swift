import Foundation
import LiveActivity

/// The reason and the end of a ban on leasing pushes for a device's cards; times are domain time.
///
/// A push that may not be sent is not leased: it would cost a row of the ledger and a lease each time.
struct LeaseGate: Hashable, Sendable {
    /// The halt of an app in one environment.
    struct Halt: Hashable, Sendable {
        let until: Date
        /// ``Decision/Reason/halted``, or ``Decision/Reason/appRefused`` of an app that a device may have made up.
        let reason: Decision.Reason
    }

    /// The time until which the push queue counts as full; nil while it has room.
    var fullUntil: Date?
    /// The halts of the device's app, by the environment of the push's token.
    var halts: [PushTokenBody.Environment: Halt] = [:]

    /// The reason why a due push has to wait.
    ///
    /// - Parameter token: the push's token.
    /// - Returns: nil where it may be leased.
    func wait(for token: PushToken?) -> Decision? {
        if let halt = halts[token?.environment ?? .production] { return .wait(until: halt.until, halt.reason) }
        return fullUntil.map { .wait(until: $0, .queueFull) }
    }
}
