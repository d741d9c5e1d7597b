import APIClient
import AsyncHTTPClient
import CommandOutput
import FlowControl
import Foundation
import LiveActivity
import NIOCore
import NIOHTTP1
import StackClient

/// The device's stream of `activity-dispatch`, reopened after the last event id whenever it breaks.
///
/// It retries without a limit, since a card outlives any outage.
struct DeviceStream: CardFeed {
    /// A connection that ended sooner counts as a failure: two readers of one device end each other's streams.
    static let connectionMin = Duration.seconds(15)
    /// The longest silence of a stream: the server writes something every 15 seconds, so that a longer silence is that of
    /// a frozen server or a dead connection.
    static let silenceMax = TimeAmount.seconds(25)
    static let backOff = BackOff(first: .milliseconds(500), longest: .seconds(15), jitterShare: 0.5)

    let client: HTTPClient
    let api: DeviceAPI
    let permission: DevicePermission
    /// The registration that the event id to resume after belongs to.
    let registration: String?
    /// A random number from 0 to 1.
    let jitter: @Sendable () -> Double

    func run(
        after sequence: String?, deliver: @escaping @Sendable (FeedEvent) async throws -> Void
    ) async throws {
        var cursor = Cursor(sequence: sequence, registration: registration)
        let stream = ReopenedStream(backOff: Self.backOff, connectionMin: Self.connectionMin, jitter: jitter)
        try await stream.run { isOpen in
            try await readOnce(&cursor, &isOpen, deliver: deliver)
        } giveUp: { error in
            let refusal = error as? StreamRefusal
            // A full server is the right one: it is asked until there is room.
            guard refusal?.screensMax == nil else { return nil }
            let failure = refusal?.failure ?? error as? CommandFailure
            let origin = APIClient.origin(of: api.url)
            let reason = failure.map { ": \($0.message)" } ?? " \(CommandFailure.reason(of: error))"
            return CommandFailure(.unavailable, origin + reason)
        } wait: { error, backOff in
            let silence = cursor.lastByteAt?.duration(to: .now) ?? .zero
            cursor.lastByteAt = nil
            let refusal = error as? StreamRefusal
            let wait = refusal?.delay(backOff: backOff, jitter: jitter()) ?? backOff
            if let screensMax = refusal?.screensMax {
                try await deliver(.refused(screensMax: screensMax, retryIn: wait))
            } else {
                try await deliver(.lost(retryIn: wait, silence: silence))
            }
            return wait
        }
    }

    /// The event id to resume after, the registration that it belongs to, and when the last byte of this connection was
    /// received; nil before it is open.
    private struct Cursor {
        var sequence: String?
        var registration: String?
        var lastByteAt: ContinuousClock.Instant?
    }

    /// Reads one connection to its end.
    private func readOnce(
        _ cursor: inout Cursor, _ isOpen: inout Bool, deliver: @Sendable (FeedEvent) async throws -> Void
    ) async throws {
        try await permission.synchronize()
        if api.registration != cursor.registration {
            cursor.sequence = nil
            cursor.registration = api.registration
        }
        let registration = cursor.registration
        try await ReopenedStream.deliver { try await deliver(.registered(registration)) }
        var request = HTTPClientRequest(url: api.streamURL)
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try api.settings.token())")
        if let sequence = cursor.sequence { request.headers.add(name: "Last-Event-ID", value: sequence) }

        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            let refusal = StreamRefusal(try await APIClient.Answer(reading: response))
            guard refusal.failure.kind == .unavailable else { throw refusal.failure }
            throw refusal
        }
        isOpen = true
        cursor.lastByteAt = .now
        try await ReopenedStream.deliver { try await deliver(.connected) }
        var parser = EventStreamParser()
        for try await buffer in response.body {
            cursor.lastByteAt = .now
            for event in try parser.read(buffer.readableBytesView) where event.name == "push" {
                guard let id = event.id, id != cursor.sequence else { continue }
                try await ReopenedStream.deliver { try await deliver(Self.read(event, id: id)) }
                cursor.sequence = id
            }
        }
    }

    /// A push that cannot be decoded is skipped, as a phone skips it.
    private static func read(_ event: EventStreamParser.Event, id: String) -> FeedEvent {
        do {
            let body = try JSONDecoder().decode(DeviceEventBody.self, from: Data(event.data.utf8))
            return .push(
                CardPush(
                    sequence: id, card: body.card, activity: body.activity, delivery: body.delivery,
                    payload: body.payload))
        } catch {
            return .unreadable(sequence: id, reason: "\(error)")
        }
    }
}
