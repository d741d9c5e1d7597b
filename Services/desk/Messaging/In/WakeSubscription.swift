import Messages
import NatsClient
import ServiceLifecycle

/// Learns which deliveries have something new in a service: empty messages, whose subject alone says which.
///
/// What is missed is read again from time to time, and when there is a connection again.
struct WakeSubscription: Service {
    /// Wake-ups that wait to be taken; more are dropped, which the next reading of everything makes good.
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
