import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime
import TextCoding

/// Follows events by a stream for a program: its listener is an endpoint while the stream is open, and within
/// ``KeptListeners`` after that, so that another stream may continue it.
struct FollowEvents: Sendable {
    /// Events that are read at once.
    private static let rowsMax = 50

    let pool: PostgresPool
    let endpoints: ManageEndpoints
    let listeners: OpenListeners

    /// A listener with an open stream.
    struct Following: Sendable {
        let stream: ListenerStream
        /// The secret by which the program verifies its events.
        let secret: String
        let slot: StreamSlot
    }

    /// A listener whose stream has broken, and the last event that its program received; nil before the first.
    struct Former: Sendable {
        let listener: EndpointID
        let last: EventID?
    }

    enum Refusal: Error, Hashable {
        /// The listener is gone, or follows other events, or its queue lacks what came after that event.
        case notKept(EndpointID)
    }

    /// Opens the stream of a new listener, which receives all events created after this call has returned, or continues
    /// a former one, whose events since the last one come first.
    ///
    /// - Parameters:
    ///   - types: the subscribed types; empty for every type.
    ///   - former: a listener of the same types and store; its former stream ends.
    /// - Returns: nil where the caller has ``Listener/perCallerMax`` streams open.
    /// - Throws: ``Refusal`` where the former one cannot be continued without a gap.
    func open(
        _ types: [WebhookEventType], of store: StoreID?, for caller: String, continuing former: Former? = nil
    ) async throws -> Following? {
        let stream = ListenerStream(listener: former?.listener ?? endpoints.makeID(), id: endpoints.makeUUID())
        guard let slot = listeners.open(stream, for: caller) else { return nil }
        let secret: String
        if let former {
            secret = try await resume(former, by: stream, types: types, of: store)
        } else {
            secret = try await endpoints.add(NewEndpointBody(url: "", events: types), store: store, for: stream).1
        }
        listeners.stored(stream)
        return Following(stream: stream, secret: secret, slot: slot)
    }

    private func resume(
        _ former: Former, by stream: ListenerStream, types: [WebhookEventType], of store: StoreID?
    ) async throws -> String {
        try await pool.withTransaction(retriesMax: 3) { transaction in
            let isResumed = try await ListenerRepository.resume(
                stream, after: former.last, types: types, of: store, seconds: ListenerStream.openSeconds,
                in: transaction)
            guard isResumed else { throw Refusal.notKept(former.listener) }
        }
        listeners.endFormer(of: stream)
        do {
            guard let secret = try await endpoints.secret(of: stream.listener) else {
                throw Refusal.notKept(former.listener)
            }
            return secret
        } catch is SecretKeyError {
            // Its key was dropped. Nothing will open it again, so the command begins another listener.
            throw Refusal.notKept(former.listener)
        }
    }

    /// Dequeues a listener's waiting events, oldest first; wakes its stream where more may wait.
    func dequeueEvents(for following: Following) async throws -> [(event: EventID, body: Data)] {
        let events = try await ListenerRepository.dequeue(for: following.stream, rowsMax: Self.rowsMax, on: pool)
        if events.count == Self.rowsMax { following.slot.signal.notify() }
        return events
    }
}
