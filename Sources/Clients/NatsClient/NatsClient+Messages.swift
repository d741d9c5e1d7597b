internal import FlowControl

extension NatsClient {
    /// Calls `handle` with each message of a subject, one after the other, until the task is cancelled.
    ///
    /// The broker stores no messages for it: messages sent without a connection are lost. A subscription lives across
    /// reconnects; a failed one is repeated, after 200 ms at first and 5 s at most.
    /// - Parameters:
    ///   - queue: members of one queue group share the messages.
    ///   - bufferedMessagesMax: unread messages kept; beyond it the oldest is dropped and counted.
    ///   - subscribed: called after each new subscription, to read the data of earlier messages. It is not called
    ///     after a reconnect: a periodic read brings the data of messages lost meanwhile.
    public func forEachMessage(
        of subject: String, queue: String? = nil, bufferedMessagesMax: Int = 1_024,
        subscribed: @Sendable () async -> Void = {}, handle: @Sendable (NatsMessage) async -> Void
    ) async {
        let backOff = BackOff(first: .milliseconds(200), longest: .seconds(5))
        var failures = 0
        while !Task.isCancelled {
            do {
                let messages = try await subscribe(subject, queue: queue, bufferedMessagesMax: bufferedMessagesMax)
                failures = 0
                await subscribed()
                for await message in messages { await handle(message) }
            } catch {
                failures += 1
                // Cancellation ends the loop.
                try? await Task.sleep(for: backOff.delay(failures: failures))
            }
        }
    }
}
