import BackgroundWork
import OrderDomain
import Synchronization

/// Deliveries with an alert in a committed state, for ``AlertSender``.
///
/// A hint: the next comparison of all subscriptions finds entries that are lost with the process, or beyond the bound.
final class RaisedAlerts: Sendable {
    private static let deliveriesMax = 10_000

    private let deliveries = Mutex<Set<DeliveryID>>([])
    let signal = WakeSignal()

    func note(_ raised: [DeliveryID]) {
        guard !raised.isEmpty else { return }
        deliveries.withLock { if $0.count < Self.deliveriesMax { $0.formUnion(raised) } }
        signal.wake()
    }

    /// The deliveries noted since the last call.
    func take() -> [DeliveryID] {
        deliveries.withLock { noted in
            defer { noted = [] }
            return Array(noted)
        }
    }
}
