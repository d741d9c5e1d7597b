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
    private var hasBegun = false

    init(
        _ following: FollowEvents.Following, _ followEvents: FollowEvents, wallNow: @escaping @Sendable () -> Date
    ) {
        self.following = following
        self.followEvents = followEvents
        self.wallNow = wallNow
    }

    mutating func next() async throws -> [ServerSentEvent]? {
        guard hasBegun else {
            hasBegun = true
            let data = try WireJSON.encode(
                ListenReadyBody(secret: following.secret, listener: following.stream.listener))
            return [ServerSentEvent(event: "ready", data: String(decoding: data, as: UTF8.self))]
        }
        let key = try WebhookKey(following.secret)
        return try await followEvents.dequeueEvents(for: following).compactMap { event, body in
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
