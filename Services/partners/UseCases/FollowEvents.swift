import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime

/// Follows events by a stream for a program: its listener is an endpoint while the stream is open, and for some minutes
/// after that, so that another stream may continue it.
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
        /// Whether the stream brings what a former one did not.
        let hasContinued: Bool
        let slot: StreamSlot
    }

    /// A stream that has broken, and the last event that its program received; nil before the first.
    struct Former: Sendable {
        let listener: EndpointID
        let last: EventID?
    }

    /// Adds a listener, which receives all events created after this call has returned.
    ///
    /// - Parameters:
    ///   - types: the subscribed types; empty for every type.
    ///   - former: a stream of the same types and store that this one continues, if its listener is still there.
    /// - Returns: nil where the caller has ``Listener/perCallerMax`` streams open.
    func open(
        _ types: [WebhookEventType], of store: StoreID?, for caller: String, continuing former: Former? = nil
    ) async throws -> Following? {
        let id = endpoints.makeID()
        guard let slot = listeners.open(id, for: caller) else { return nil }
        var known: Endpoint?
        if let former { known = try await EndpointRepository.endpoint(former.listener, on: pool) }
        if let one = known, one.kind != .listener || one.store != store || one.types != types { known = nil }
        let (_, secret) = try await endpoints.add(
            NewEndpointBody(url: "", events: types), id: id, store: store, kind: .listener, createdAt: known?.createdAt)
        // Both have received every event since then, so that none is lost between them.
        var hasContinued = false
        if let known {
            hasContinued = try await pool.withTransaction(retriesMax: 3) { transaction in
                try await EventRepository.continueQueue(of: known.id, after: former?.last, as: id, in: transaction)
            }
        }
        listeners.stored(id)
        return Following(endpoint: id, secret: secret, hasContinued: hasContinued, slot: slot)
    }

    /// Dequeues a listener's waiting events, oldest first; wakes its stream where more may wait.
    func dequeueEvents(for following: Following) async throws -> [(event: EventID, body: Data)] {
        let events = try await EventRepository.dequeue(for: following.endpoint, rowsMax: Self.rowsMax, on: pool)
        if events.count == Self.rowsMax { following.slot.signal.notify() }
        return events
    }
}
