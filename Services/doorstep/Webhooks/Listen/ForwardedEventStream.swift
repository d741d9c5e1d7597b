import APIClient
import AsyncHTTPClient
import CommandOutput
import DoorstepAPI
import FlowControl
import Foundation
import NIOCore
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// The stream of events that `partners` sends to an unreachable program; reopened whenever it breaks.
///
/// Each further connection continues the former one, so that events during a disconnection come after it.
struct ForwardedEventStream: Sendable {
    static let backOff = BackOff(first: .milliseconds(500), longest: .seconds(15), jitterShare: 0.5)
    /// Bytes of one line: an event has less than 20,000, and half of them may be escaped.
    static let lineBytesMax = 131_072

    enum Item: Sendable {
        /// The stream is open; events are signed by this.
        case ready(secret: String)
        case event(ForwardedEventBody)
        /// An event that this version cannot read.
        case unreadable(reason: String)
        /// The stream is closed, and will be opened again.
        case lost(reason: String)
        /// The stream is open again, and lacks what happened meanwhile.
        case missed
    }

    let client: HTTPClient
    let url: String
    /// Read again for each connection, so that a renewed token is used.
    let token: @Sendable () throws -> String
    /// A random number from 0 to 1.
    let jitter: @Sendable () -> Double

    /// The stream's whole address.
    ///
    /// - Parameters:
    ///   - address: of `partners`, without a slash at its end.
    ///   - events: empty for all.
    ///   - store: nil for all.
    static func url(of address: String, events: [WebhookEventType], store: StoreID?) -> String {
        var components = URLComponents()
        var items: [URLQueryItem] = []
        if !events.isEmpty {
            items.append(URLQueryItem(name: "events", value: events.map(\.rawValue).joined(separator: ",")))
        }
        if let store { items.append(URLQueryItem(name: "store", value: store.rawValue)) }
        components.queryItems = items
        let query = items.isEmpty ? "" : "?\(components.percentEncodedQuery ?? "")"
        return "\(address)/v1/webhook-events/stream\(query)"
    }

    /// Delivers events, in order, until it is cancelled.
    ///
    /// - Throws: `CommandFailure` where a retry would not help.
    func run(_ deliver: @Sendable (Item) -> Void) async throws {
        let stream = ReopenedStream(backOff: Self.backOff, jitter: jitter)
        var place = ListenPlace()
        try await stream.run { isOpen in
            try await readOnce(&isOpen, &place, deliver: deliver)
        } giveUp: { error in
            CommandFailure(.unavailable, reason(of: error))
        } wait: { error, backOff in
            try Task.checkCancellation()
            deliver(.lost(reason: error.map(reason) ?? "the stream has ended"))
            return backOff
        }
    }

    private func reason(of error: any Error) -> String {
        (error as? CommandFailure)?.message ?? "\(APIClient.origin(of: url)) \(CommandFailure.reason(of: error))"
    }

    /// Reads one connection to its end.
    private func readOnce(
        _ isOpen: inout Bool, _ place: inout ListenPlace, deliver: @Sendable (Item) -> Void
    ) async throws {
        var response = try await open(place.url(url))
        if response.status == .badRequest, place.continues {
            // The former connection is not kept any longer, or this version of partners continues none.
            place.beginAnew()
            response = try await open(url)
        }
        guard response.status == .ok else {
            let answer = try await APIClient.Answer(reading: response)
            throw answer.refusal ?? CommandFailure(.unavailable, "The stream answered \(answer.status).")
        }
        isOpen = true
        var parser = EventStreamParser(lineBytesMax: Self.lineBytesMax)
        for try await buffer in response.body {
            for event in try parser.read(buffer.readableBytesView) {
                if place.note(event) { deliver(.missed) }
                if let item = Self.item(event) { deliver(item) }
            }
        }
    }

    private func open(_ url: String) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "text/event-stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try token())")
        return try await client.execute(request, deadline: .distantFuture)
    }

    /// Parses an event of the stream; nil for one of a later version.
    static func item(_ event: EventStreamParser.Event) -> Item? {
        let data = Data(event.data.utf8)
        do {
            switch event.name {
            case "ready": return .ready(secret: try WireJSON.decode(ListenReadyBody.self, from: data).secret)
            case "webhook": return .event(try WireJSON.decode(ForwardedEventBody.self, from: data))
            default: return nil
            }
        } catch {
            return .unreadable(reason: "\(error)")
        }
    }
}
