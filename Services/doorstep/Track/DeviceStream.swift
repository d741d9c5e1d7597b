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
/// After a first success it retries without a limit, since a card outlives any outage; before that it fails after a few
/// attempts, so that a wrong address is reported.
struct DeviceStream: CardFeed {
    static let firstTriesMax = 5
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
        var failures = 0
        var hasBeenOpen = false
        while true {
            let began = ContinuousClock.now
            var refusal: StreamRefusal?
            do {
                try await readOnce(&cursor, deliver: deliver)
            } catch let failure as CommandFailure where failure.kind != .unavailable {
                throw failure
            } catch let refused as StreamRefusal where refused.failure.kind != .unavailable {
                throw refused.failure
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch let undeliverable as Undeliverable {
                throw undeliverable.underlying
            } catch {
                refusal = error as? StreamRefusal
                // A full server is the right one: it is asked until there is room.
                if refusal?.screensMax == nil, !hasBeenOpen, !cursor.hasOpened, failures >= Self.firstTriesMax {
                    let reason = refusal.map { "\($0.failure)" } ?? "\(error)"
                    throw CommandFailure(
                        .unavailable, "\(APIClient.origin(of: api.url)) does not answer: \(reason)")
                }
            }
            if cursor.hasOpened {
                hasBeenOpen = true
                if began.duration(to: .now) >= Self.connectionMin { failures = 0 }
            }
            let silence = cursor.hasOpened ? cursor.lastByteAt.duration(to: .now) : .zero
            cursor.hasOpened = false
            failures += 1
            let backOff = Self.backOff.delay(failures: failures, jitter: jitter())
            let wait = refusal?.delay(backOff: backOff, jitter: jitter()) ?? backOff
            if let screensMax = refusal?.screensMax {
                try await deliver(.refused(screensMax: screensMax, retryIn: wait))
            } else {
                try await deliver(.lost(retryIn: wait, silence: silence))
            }
            try await Task.sleep(for: wait)
        }
    }

    /// The event id to resume after and the registration that it belongs to, whether this connection has opened, and
    /// when its last byte was received.
    private struct Cursor {
        var sequence: String?
        var registration: String?
        var hasOpened = false
        var lastByteAt = ContinuousClock.now
    }

    /// The consumer of events failed, not the connection.
    private struct Undeliverable: Error {
        let underlying: any Error
    }

    /// Reads one connection to its end.
    private func readOnce(
        _ cursor: inout Cursor, deliver: @Sendable (FeedEvent) async throws -> Void
    ) async throws {
        try await permission.synchronize()
        if api.registration != cursor.registration {
            cursor.sequence = nil
            cursor.registration = api.registration
        }
        try await forward(.registered(cursor.registration), to: deliver)
        var request = HTTPClientRequest(url: api.streamURL)
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try api.settings.token())")
        if let sequence = cursor.sequence { request.headers.add(name: "Last-Event-ID", value: sequence) }

        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            throw StreamRefusal(try await APIClient.Answer(reading: response))
        }
        cursor.hasOpened = true
        cursor.lastByteAt = .now
        try await forward(.connected, to: deliver)
        var parser = EventStreamParser()
        for try await buffer in response.body {
            cursor.lastByteAt = .now
            for event in try parser.read(buffer.readableBytesView) where event.name == "push" {
                guard let id = event.id, id != cursor.sequence else { continue }
                try await forward(Self.read(event, id: id), to: deliver)
                cursor.sequence = id
            }
        }
    }

    private func forward(_ event: FeedEvent, to deliver: @Sendable (FeedEvent) async throws -> Void) async throws {
        do {
            try await deliver(event)
        } catch {
            throw Undeliverable(underlying: error)
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
