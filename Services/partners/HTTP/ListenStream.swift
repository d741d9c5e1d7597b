import DoorstepAPI
import Foundation
import ServiceRuntime
import WebhookSignatures
import WireCoding

/// The queued events of one listener, each signed as if it were posted.
struct ListenStream: ServerSentEventSource {
    let following: FollowEvents.Following
    let followEvents: FollowEvents
    let wallNow: @Sendable () -> Date
    /// Counts the events in the access log.
    let note: @Sendable (Persons) -> Void
    private var hasBegun = false

    init(
        _ following: FollowEvents.Following, _ followEvents: FollowEvents, wallNow: @escaping @Sendable () -> Date,
        note: @escaping @Sendable (Persons) -> Void = { _ in }
    ) {
        self.following = following
        self.followEvents = followEvents
        self.wallNow = wallNow
        self.note = note
    }

    mutating func next() async throws -> [ServerSentEvent]? {
        // A wake from before the first poll is merged with it, so that poll brings what was queued until then.
        var forwarded = try begin()
        let key = try WebhookKey(following.secret)
        let events = try await followEvents.dequeueEvents(for: following)
        note(Persons(events.map { _, body in Self.persons(of: body) }))
        forwarded += try events.compactMap { event, body in
            guard let signed = StandardWebhook.signing(body, id: event.rawValue, at: wallNow(), keys: [key]) else {
                return nil
            }
            let body = ForwardedEventBody(headers: signed.headers, body: String(decoding: body, as: UTF8.self))
            return ServerSentEvent(
                id: event.rawValue, event: "webhook", data: String(decoding: try WireJSON.encode(body), as: UTF8.self))
        }
        return forwarded
    }

    /// The event that precedes all others; empty after the first call.
    private mutating func begin() throws -> [ServerSentEvent] {
        guard !hasBegun else { return [] }
        hasBegun = true
        let data = try WireJSON.encode(ListenReadyBody(secret: following.secret, listener: following.stream.listener))
        return [ServerSentEvent(event: "ready", data: String(decoding: data, as: UTF8.self))]
    }

    /// The delivery of an event; without its persons, whose ids must not outlast an erasure in memory.
    private static func persons(of body: Data) -> Persons {
        // The body of an event is of this or a former version; one that cannot be read counts without ids.
        guard let event = try? WireJSON.decode(WebhookEventBody.self, from: body) else { return Persons() }
        return Persons(delivery: event.data.id)
    }
}
