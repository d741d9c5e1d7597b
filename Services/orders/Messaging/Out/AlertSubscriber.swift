import Messages
import NatsClient

/// Asks `activity-dispatch` to notify browsers of deliveries' alerts.
struct AlertSubscriber: Sendable {
    /// The time-out of the request: the reader who pressed the button waits for it.
    private static let timeout = Duration.seconds(3)

    private let ask: ServiceRequests

    init(request: @escaping ServiceRequests.Send) { ask = ServiceRequests(request) }

    init(_ nats: NatsClient) { ask = ServiceRequests(nats, timeout: Self.timeout) }

    /// - Returns: why it is not done; nil where it is, and durable.
    /// - Throws: where nothing answers in time.
    func callAsFunction(_ wish: AlertSubscriptionRequest) async throws -> AlertSubscriptionAnswer.Refusal? {
        try await ask(wish, to: Subject.alertSubscriptions, as: AlertSubscriptionAnswer.self).refusal
    }
}
