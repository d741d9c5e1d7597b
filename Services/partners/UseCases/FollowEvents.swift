import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime

/// Lets a program follow events by a stream: its listener is an endpoint for as long as the stream is open.
struct FollowEvents: Sendable {
    /// Events that are read at once.
    private static let rowsMax = 50

    let pool: PostgresPool
    let endpoints: ManageEndpoints
    let listeners: OpenListeners

    /// A listener with an open stream.
    struct Following: Sendable {
        let endpoint: EndpointID
        /// By which the program verifies its events.
        let secret: String
        let slot: StreamSlot
    }

    /// Adds a listener, which gets the events of all that happens after this has returned.
    ///
    /// - Parameter types: those that it takes; empty for every event.
    /// - Returns: nil where the caller has ``Listener/perCallerMax`` streams open.
    func open(_ types: [WebhookEventType], of store: StoreID?, for caller: String) async throws -> Following? {
        let id = endpoints.makeID()
        guard let slot = listeners.open(id, for: caller) else { return nil }
        let (_, secret) = try await endpoints.add(
            NewEndpointBody(url: "", events: types), id: id, store: store, kind: .listener)
        listeners.stored(id)
        return Following(endpoint: id, secret: secret, slot: slot)
    }

    /// Dequeues what waits for a listener, oldest first; wakes its stream where there may be more.
    func dequeueEvents(for following: Following) async throws -> [(event: EventID, body: Data)] {
        let events = try await EventRepository.dequeue(for: following.endpoint, rowsMax: Self.rowsMax, on: pool)
        if events.count == Self.rowsMax { following.slot.signal.notify() }
        return events
    }
}
