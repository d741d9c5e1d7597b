import PostgresClient
import Synchronization

/// Cached subscriptions, so that a change of a delivery costs no statement for them.
struct SubscriptionCache: Sendable {
    /// The age limit of the cache; ``settle()`` waits as long.
    static let ageMax = Duration.milliseconds(200)

    let pool: PostgresPool
    private let entry = SubscriptionEntry()

    func callAsFunction() async throws -> [Subscription] {
        // Before the read: later commits may be missing in it.
        let now = ContinuousClock.now
        if let entry = entry.value.withLock(\.self), entry.readAt + Self.ageMax > now { return entry.subscriptions }
        let subscriptions = try await EndpointRepository.subscriptions(on: pool)
        entry.value.withLock { $0 = SubscriptionEntry.Value(subscriptions: subscriptions, readAt: now) }
        return subscriptions
    }

    /// Waits until every replica's cache has expired.
    func settle() async {
        // Cancelled where the caller has disconnected, and needs no answer.
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
