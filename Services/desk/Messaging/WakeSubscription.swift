import Messages
import NatsClient
import OrderDomain
import ServiceLifecycle

/// Learns which deliveries have something new in a service: empty messages, whose subject alone says which.
///
/// What is missed is read again from time to time, and when there is a connection again.
final class WakeSubscription: Service {
    /// Wake-ups that wait to be taken; more are dropped, which the next reading of everything makes good.
    private static let bufferedMax = 8_192

    private let nats: NatsClient
    private let wake: @Sendable (DeliveryID) -> Void
    private let wakeAll: @Sendable () -> Void

    init(
        _ nats: NatsClient, wake: @escaping @Sendable (DeliveryID) -> Void, wakeAll: @escaping @Sendable () -> Void
    ) {
        self.nats = nats
        self.wake = wake
        self.wakeAll = wakeAll
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.nats.forEachMessage(
                of: Subject.allWakes, bufferedMessagesMax: Self.bufferedMax, subscribed: { self.wakeAll() },
                handle: { message in
                    if let delivery = Subject.wokenDelivery(message.subject) { self.wake(delivery) }
                })
        }
    }
}
