import AsyncHTTPClient
import FlowControl
import Foundation
import LiveActivity
import NIOCore
import NIOHTTP1
import WireCoding

/// The device's stream of `activity-dispatch`, opened again after the last id whenever it breaks.
///
/// Once it has been open it tries for ever, since a card outlives any outage; before, it gives up soon, so that a wrong
/// address is noticed.
struct DeviceStream: CardFeed {
    static let firstTriesMax = 5
    static let backOff = BackOff(first: .milliseconds(500), longest: .seconds(15), jitterShare: 0.5)

    let client: HTTPClient
    let api: DeviceAPI
    let permission: DevicePermission
    /// A random number from 0 to 1.
    let jitter: @Sendable () -> Double

    func run(
        after sequence: String?, deliver: @escaping @Sendable (FeedEvent) async throws -> Void
    ) async throws {
        var cursor = Cursor(sequence: sequence)
        var failures = 0
        var hasBeenOpen = false
        while true {
            do {
                try await readOnce(&cursor, deliver: deliver)
            } catch let failure as CommandFailure where failure.kind != .unavailable {
                throw failure
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch let undeliverable as Undeliverable {
                throw undeliverable.underlying
            } catch {
                if !hasBeenOpen, !cursor.hasOpened, failures >= Self.firstTriesMax {
                    throw CommandFailure(
                        .unavailable, "\(APIClient.origin(of: api.url)) does not answer: \(error)")
                }
            }
            if cursor.hasOpened {
                hasBeenOpen = true
                failures = 0
            }
            cursor.hasOpened = false
            failures += 1
            let wait = Self.backOff.delay(failures: failures, jitter: jitter())
            try await deliver(.lost(retryIn: wait))
            try await Task.sleep(for: wait)
        }
    }

    /// Where the stream goes on, and whether this connection was good.
    private struct Cursor {
        var sequence: String?
        var hasOpened = false
    }

    /// The taker of events failed, which is no fault of the connection.
    private struct Undeliverable: Error {
        let underlying: any Error
    }

    /// Reads one connection to its end.
    private func readOnce(
        _ cursor: inout Cursor, deliver: @Sendable (FeedEvent) async throws -> Void
    ) async throws {
        try await permission.tell()
        var request = HTTPClientRequest(url: api.streamURL)
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try api.settings.token())")
        if let sequence = cursor.sequence { request.headers.add(name: "Last-Event-ID", value: sequence) }

        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            let body = try await response.body.collect(upTo: APIClient.answerBytesMax)
            let answer = APIClient.Answer(status: Int(response.status.code), body: Data(body.readableBytesView))
            throw answer.refusal ?? CommandFailure(.unavailable, "The stream answered \(answer.status).")
        }
        cursor.hasOpened = true
        try await hand(.connected, to: deliver)
        var parser = EventStreamParser()
        for try await buffer in response.body {
            for event in try parser.read(buffer.readableBytesView) where event.name == "push" {
                guard let id = event.id, id != cursor.sequence else { continue }
                try await hand(Self.read(event, id: id), to: deliver)
                cursor.sequence = id
            }
        }
    }

    private func hand(_ event: FeedEvent, to deliver: @Sendable (FeedEvent) async throws -> Void) async throws {
        do {
            try await deliver(event)
        } catch {
            throw Undeliverable(underlying: error)
        }
    }

    private struct PushBody: Decodable {
        let card: String
        let activity: String
        let delivery: String?
        let payload: PushPayload
    }

    /// A push that cannot be read is passed over, as a phone passes it over.
    private static func read(_ event: EventStreamParser.Event, id: String) -> FeedEvent {
        do {
            let body = try JSONDecoder().decode(PushBody.self, from: Data(event.data.utf8))
            return .push(
                CardPush(
                    sequence: id, card: body.card, activity: body.activity, delivery: body.delivery,
                    payload: body.payload))
        } catch {
            return .unreadable(sequence: id, reason: "\(error)")
        }
    }
}
