import DoorstepAPI
import Foundation
import PostgresClient
import ServiceRuntime
import WebhookSignatures
import WireCoding

/// The events of one listener as they are queued, each signed as if it were posted.
struct ListenStream: ServerSentEventSource {
    /// Events that are read at once.
    private static let rowsMax = 50

    let endpoint: EndpointID
    let secret: String
    let pool: PostgresPool
    let slot: ListenerRegistry.Slot
    let wallNow: @Sendable () -> Date
    private var hasBegun = false

    init(
        endpoint: EndpointID, secret: String, pool: PostgresPool, slot: ListenerRegistry.Slot,
        wallNow: @escaping @Sendable () -> Date
    ) {
        self.endpoint = endpoint
        self.secret = secret
        self.pool = pool
        self.slot = slot
        self.wallNow = wallNow
    }

    mutating func next() async throws -> [ServerSentEvent]? {
        guard hasBegun else {
            hasBegun = true
            let data = try WireJSON.encode(["secret": secret])
            return [ServerSentEvent(event: "ready", data: String(decoding: data, as: UTF8.self))]
        }
        let key = try WebhookKey(secret)
        let events = try await EventRepository.take(for: endpoint, rowsMax: Self.rowsMax, on: pool)
        if events.count == Self.rowsMax { slot.signal.notify() }
        return try events.compactMap { event, body in
            guard let signed = StandardWebhook.signing(body, id: event.rawValue, at: wallNow(), keys: [key]) else {
                return nil
            }
            let forwarded = ForwardedEventBody(
                headers: signed.headers, body: String(decoding: body, as: UTF8.self))
            return ServerSentEvent(
                id: event.rawValue, event: "webhook",
                data: String(decoding: try WireJSON.encode(forwarded), as: UTF8.self))
        }
    }
}
