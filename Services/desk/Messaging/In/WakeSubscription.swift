import Messages
import NatsClient
import OrderDomain
import ServiceLifecycle

/// Receives the ids of deliveries with new data in a service, while a browser has a page: an id in each line.
///
/// A read after each subscription covers earlier messages. A subscription lives across reconnects to the broker: the
/// board's periodic read covers messages lost meanwhile.
struct WakeSubscription: Service {
    /// Buffered messages; the buffer drops later ones, and the next complete read covers them.
    private static let bufferedMax = 1_024
    private static let attentionCheckInterval = Duration.seconds(5)

    let nats: NatsClient
    let board: LiveBoard

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in board.attentions { await receiveWhileAttended() }
        }
    }

    private func receiveWhileAttended() async {
        await withTaskGroup { group in
            group.addTask {
                await nats.forEachMessage(
                    of: Subject.allWakes, bufferedMessagesMax: Self.bufferedMax, subscribed: { board.wakeAll() },
                    handle: { board.wake(Self.deliveries(in: $0.payload)) })
            }
            group.addTask {
                while board.isAttended(at: .now), !Task.isCancelled {
                    // Cancellation ends the loop.
                    try? await Task.sleep(for: Self.attentionCheckInterval)
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// The deliveries that a message names.
    static func deliveries(in payload: [UInt8]) -> [DeliveryID] {
        String(decoding: payload, as: UTF8.self).split(separator: "\n").compactMap { DeliveryID(rawValue: String($0)) }
    }
}
