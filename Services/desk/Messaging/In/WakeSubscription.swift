import Messages
import NatsClient
import ServiceLifecycle

/// Receives the ids of deliveries with new data in a service: empty messages, with the id in the subject.
///
/// Periodic reads, and a read after each reconnect, cover lost messages.
struct WakeSubscription: Service {
    /// Buffered wake-ups; the buffer drops later ones, and the next complete read covers them.
    private static let bufferedMax = 8_192

    let nats: NatsClient
    let board: LiveBoard

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await nats.forEachMessage(
                of: Subject.allWakes, bufferedMessagesMax: Self.bufferedMax, subscribed: { board.wakeAll() },
                handle: { message in
                    if let delivery = Subject.wokenDelivery(message.subject) { board.wake(delivery) }
                })
        }
    }
}
