import Logging
import Messages
import NatsClient
import ReliableMessaging

/// The messages that `activity-dispatch` consumes: intents, and nothing else.
struct DispatchMessages: Sendable {
    let applyIntent: ApplyIntent

    func handle(_ intents: [Intent]) async throws {
        try await applyIntent(intents)
    }
}
