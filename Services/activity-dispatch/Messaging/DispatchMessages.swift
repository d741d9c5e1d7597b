import Logging
import Messages
import NatsClient
import ReliableMessaging

/// What `activity-dispatch` hears: intents, and nothing else.
struct DispatchMessages: Sendable {
    let takeIntent: TakeIntent

    func handle(_ intents: [Intent]) async throws {
        try await takeIntent(intents)
    }
}
