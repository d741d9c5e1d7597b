import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime

/// Follows events by a stream for a program: its listener is an endpoint while the stream is open.
struct FollowEvents: Sendable {
    /// Events that are read at once.
    private static let rowsMax = 50

    let pool: PostgresPool
    let endpoints: ManageEndpoints
    let listeners: OpenListeners

    /// A listener with an open stream.
    struct Following: Sendable {
        let endpoint: EndpointID
        /// The secret by which the program verifies its events.
        let secret: String
        let slot: StreamSlot
    }

    /// Adds a listener, which receives all events created after this call has returned.
    ///
    /// - Parameter types: the subscribed types; empty for every type.
    /// - Returns: nil where the caller has ``Listener/perCallerMax`` streams open.
    func open(_ types: [WebhookEventType], of store: StoreID?, for caller: String) async throws -> Following? {
        let id = endpoints.makeID()
        guard let slot = listeners.open(id, for: caller) else { return nil }
        let (_, secret) = try await endpoints.add(
            NewEndpointBody(url: "", events: types), id: id, store: store, kind: .listener)
        listeners.stored(id)
        return Following(endpoint: id, secret: secret, slot: slot)
    }

    /// Dequeues a listener's waiting events, oldest first; wakes its stream where more may wait.
    func dequeueEvents(for following: Following) async throws -> [(event: EventID, body: Data)] {
        let events = try await EventRepository.dequeue(for: following.endpoint, rowsMax: Self.rowsMax, on: pool)
        if events.count == Self.rowsMax { following.slot.signal.notify() }
        return events
    }
}
