internal import CNats

/// The events of one connection, on threads of the C library; each callback runs briefly and never blocks.
final class ConnectionEvents: CallbackContext, Sendable {
    let live: LiveContexts
    /// A failure that belongs to no call: a slow consumer, a refused subject.
    let failed: @Sendable (NatsError) -> Void
    /// The connection is over, for whatever reason; called exactly once, and nothing is called after it.
    let ended: @Sendable () -> Void

    init(
        live: LiveContexts, failed: @escaping @Sendable (NatsError) -> Void, ended: @escaping @Sendable () -> Void
    ) {
        self.live = live
        self.failed = failed
        self.ended = ended
    }
}

/// Receives the messages of one subscription on the subscription's own thread of the C library.
final class MessageReceiver: CallbackContext, Sendable {
    let live: LiveContexts
    let receive: @Sendable (NatsMessage) -> Void

    init(live: LiveContexts, receive: @escaping @Sendable (NatsMessage) -> Void) {
        self.live = live
        self.receive = receive
    }
}

// C calls these on its own threads, so they are free functions: a closure would inherit the isolation around it.

func natsClientMessageArrived(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?
) {
    guard let message, let context else { return }
    let owned = OwnedMessage(owning: message)
    LiveContexts.borrow(context, as: MessageReceiver.self).receive(owned.copied())
}

/// "this callback will be invoked after the subscription is closed and the message handler has returned" (nats.h,
/// natsOnCompleteCB), so the receiver has no user left.
func natsClientSubscriptionEnded(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    LiveContexts.release(context, as: MessageReceiver.self)
}

/// The library sets its thread-local last error for the length of this callback, which holds the server's sentence.
func natsClientFailed(
    _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ status: natsStatus,
    _ context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    let subject = subscription.flatMap { natsSubscription_GetSubject($0) }.map { " of \(String(cString: $0))" } ?? ""
    let error = NatsError(status: status, operation: "listening to the server\(subject)")
    LiveContexts.borrow(context, as: ConnectionEvents.self).failed(error)
}

/// The library queues its connection callbacks on one thread in order, and this one last, after it joined the threads
/// that could queue another.
func natsClientConnectionEnded(_ connection: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    LiveContexts.borrow(context, as: ConnectionEvents.self).ended()
    LiveContexts.release(context, as: ConnectionEvents.self)
}
