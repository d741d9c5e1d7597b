import BackgroundWork
import OrderDomain
import Synchronization

/// Deliveries of which a committed state has an alert, for ``AlertSender``.
///
/// A hint: what is lost of it with the process, or beyond its bound, the next comparison of all finds.
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
