internal import CNats

/// One TCP connection to a server, from a successful connect until it breaks or is closed; it never reconnects.
///
/// Every method may block on the socket, so they run on a ``BlockingQueue``.
final class Connection: Sendable {
    // "All calls use internal locking where needed." (README of nats.c, "Is the library thread-safe?")
    nonisolated(unsafe) private let handle: OpaquePointer

    /// Connects, trying each server once.
    /// - Throws: ``NatsError/Code/disconnected`` if no server answered, ``NatsError/Code/authenticationFailed``.
    init(_ configuration: NatsConfiguration, events: ConnectionEvents) throws(NatsError) {
        let options = try ConnectionOptions.make(configuration)
        let context = LiveContexts.retain(events)
        options.report(to: context)
        var connected: OpaquePointer?
        let status = natsConnection_Connect(&connected, options.pointer)
        guard status == NATS_OK, let connected else {
            let servers = configuration.servers.map(NatsConfiguration.redacted).joined(separator: ", ")
            let error = NatsError(status: status, operation: "connecting to \(servers)")
            // A connection that never was makes no callback.
            LiveContexts.release(context, as: ConnectionEvents.self)
            throw error
        }
        handle = connected
    }

    deinit { natsConnection_Destroy(handle) }

    /// Hands one message to the library, which copies it and writes it out at once.
    func publish(
        _ payload: [UInt8], to subject: String, reply: String? = nil, headers: [String: String] = [:],
        operation: String
    ) throws(NatsError) {
        let status: natsStatus
        if headers.isEmpty {
            status = payload.withUnsafeBytes { bytes in
                if let reply {
                    natsConnection_PublishRequest(handle, subject, reply, bytes.baseAddress, Int32(bytes.count))
                } else {
                    natsConnection_Publish(handle, subject, bytes.baseAddress, Int32(bytes.count))
                }
            }
        } else {
            let message = try OwnedMessage.make(
                subject: subject, reply: reply, payload: payload, headers: headers, operation: operation)
            status = natsConnection_PublishMsg(handle, message.pointer)
        }
        guard status == NATS_OK else { throw NatsError(status: status, operation: operation) }
    }

    /// Starts handing the subject's messages to `receiver`, until the subscription or the connection ends.
    func subscribe(
        _ subject: String, queue: String?, bytesPendingMax: Int, receiver: MessageReceiver
    ) throws(NatsError) -> Subscription {
        let operation = "subscribing to \(subject)"
        let context = LiveContexts.retain(receiver)
        var created: OpaquePointer?
        let status =
            if let queue {
                natsConnection_QueueSubscribe(
                    &created, handle, subject, queue, natsClientMessageArrived, context)
            } else {
                natsConnection_Subscribe(&created, handle, subject, natsClientMessageArrived, context)
            }
        guard status == NATS_OK, let created else {
            let error = NatsError(status: status, operation: operation)
            LiveContexts.release(context, as: MessageReceiver.self)
            throw error
        }
        // Should this fail, a callback may be running, so the context leaks rather than dangles.
        _ = natsSubscription_SetOnCompleteCB(created, natsClientSubscriptionEnded, context)
        _ = natsSubscription_SetPendingLimits(created, -1, Int32(clamping: bytesPendingMax))
        return Subscription(owning: created)
    }

    /// Waits until the server has processed everything written so far.
    func flush(timeout: Duration) throws(NatsError) {
        let status = natsConnection_FlushTimeout(handle, timeout.milliseconds)
        guard status == NATS_OK else { throw NatsError(status: status, operation: "flushing the connection") }
    }

    /// Ends the connection; ``ConnectionEvents/ended`` follows.
    func close() { natsConnection_Close(handle) }

    /// One subscription of this connection; dropping it unsubscribes.
    final class Subscription: Sendable {
        nonisolated(unsafe) private let handle: OpaquePointer

        init(owning handle: OpaquePointer) { self.handle = handle }

        deinit { natsSubscription_Destroy(handle) }

        /// Unsubscribes, and waits until the receiver has had everything that the server sent before it knew.
        ///
        /// Without effect where the connection is lost: then nothing more comes.
        func drain(timeout: Duration) {
            guard natsSubscription_DrainTimeout(handle, timeout.milliseconds) == NATS_OK else { return }
            _ = natsSubscription_WaitForDrainCompletion(handle, timeout.milliseconds)
        }
    }
}
