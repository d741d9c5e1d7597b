import Foundation
import Messages
import NatsClient
import WireCoding

/// Asks `activity-dispatch` to notify browsers of deliveries' alerts.
struct AlertSubscriber: Sendable {
    /// The time-out of the request: the reader who pressed the button waits for it.
    private static let timeout = Duration.seconds(3)

    /// Sends a request to a subject, and returns the reply.
    typealias Request = @Sendable (_ payload: [UInt8], _ subject: String) async throws -> [UInt8]

    private let request: Request

    init(request: @escaping Request) { self.request = request }

    init(_ nats: NatsClient) {
        self.init { try await nats.request($0, to: $1, timeout: Self.timeout).payload }
    }

    /// - Returns: why it is not done; nil where it is, and durable.
    /// - Throws: where nothing answers in time.
    func callAsFunction(_ wish: AlertSubscriptionRequest) async throws -> AlertSubscriptionAnswer.Refusal? {
        let answer = try await request([UInt8](WireJSON.encode(wish)), Subject.alertSubscriptions)
        return try WireJSON.decode(AlertSubscriptionAnswer.self, from: Data(answer)).refusal
    }
}
