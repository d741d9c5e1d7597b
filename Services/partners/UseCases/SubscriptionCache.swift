import PostgresClient
import Synchronization

/// Who is told of which events, as it was a moment ago, so that a change of a delivery costs no statement for it.
struct SubscriptionCache: Sendable {
    /// How old what is answered may be; ``settle()`` waits as long.
    static let ageMax = Duration.milliseconds(200)

    let pool: PostgresPool
    private let entry = SubscriptionEntry()

    init(pool: PostgresPool) { self.pool = pool }

    func callAsFunction() async throws -> [Subscription] {
        // Before it is read: what is committed from now on may not be in it.
        let now = ContinuousClock.now
        if let entry = entry.value.withLock(\.self), entry.readAt + Self.ageMax > now { return entry.subscriptions }
        let subscriptions = try await EndpointRepository.subscriptions(on: pool)
        entry.value.withLock { $0 = SubscriptionEntry.Value(subscriptions: subscriptions, readAt: now) }
        return subscriptions
    }

    /// Returns once every process goes by what was committed before the call.
    func settle() async {
        // Cancelled where whoever asked has gone, and then nobody needs to know.
        try? await Task.sleep(for: Self.ageMax)
    }
}

private final class SubscriptionEntry: Sendable {
    struct Value {
        let subscriptions: [Subscription]
        let readAt: ContinuousClock.Instant
    }

    let value = Mutex<Value?>(nil)
}
