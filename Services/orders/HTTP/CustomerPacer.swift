import DeclaredMetrics
import FlowControl
import Metrics
import OrderDomain
import Synchronization

/// Delays the responses to changes of a customer's deliveries above the rate of any person's orders.
///
/// Every change goes through all services to every device of the customer, so one customer's flood would starve all
/// others. The change is made before its response waits, which slows its sender down; a refusal would be repeated at
/// once.
final class CustomerPacer: Sendable {
    /// Changes of a customer's deliveries at once: a few orders of many items that are picked together.
    static let burst = 300.0
    /// A caller's own timeout is longer.
    static let waitMax = Duration.seconds(1)
    /// Customers that are remembered.
    static let customersMax = 10_000

    private let pace: Mutex<RateLimiter>
    private let start = ContinuousClock.now
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter changesPerSecond: of one customer's deliveries, in the long run.
    init(
        changesPerSecond: Double = 20,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        pace = Mutex(
            RateLimiter(perSecond: changesPerSecond, burst: Self.burst, callersMax: Self.customersMax))
        self.sleep = sleep
    }

    /// Returns when changes that were made may be answered, after a second at most.
    func wait(for customer: CustomerID, changes: Int = 1) async {
        let now = ContinuousClock.now - start
        let delay: Duration =
            switch pace.withLock({
                $0.admit(Double(changes), of: customer.rawValue, at: now, waitMax: Self.waitMax)
            }) {
            case .after(let delay): delay
            case .refused: Self.waitMax
            }
        guard delay > .zero else { return }
        OrdersMetrics.changesPaced.counter().increment(by: changes)
        // The change is answered even when the caller disconnects during the wait.
        try? await sleep(delay)
    }
}
