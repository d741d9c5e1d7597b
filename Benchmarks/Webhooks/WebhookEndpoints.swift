import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// Endpoints that subscribe to every event, and the synthetic events for them.
struct WebhookEndpoints {
    /// Requests at once, each with a token of its own.
    static let connections = 8

    private let port: Int
    private let tokens: [String]
    private(set) var ids: [String] = []

    /// Adds an endpoint for each URL.
    ///
    /// - Parameters:
    ///   - port: of `partners`.
    ///   - tokens: of operators.
    ///   - store: the store of the subscriptions; nil for every store.
    init(urls: [String], port: Int, tokens: [String], store: StoreID? = nil) throws {
        self.port = port
        self.tokens = tokens
        var ids = [String](repeating: "", count: urls.count)
        let bodies = try urls.map { try Self.text(NewEndpointBody(url: $0, store: store)) }
        try send(
            urls.count, { Request(method: "POST", path: "/v1/webhooks", body: bodies[$0]) },
            answered: { number, answer in
                ids[number] = try answer.decoded(EndpointBody.self, status: 201).id.rawValue
            })
        self.ids = ids
    }

    /// Their numbers.
    var all: Range<Int> { 0..<ids.count }
    /// The numbers of all but the last.
    var others: Range<Int> { 0..<(ids.count - 1) }

    /// Changes each of some in the same way.
    func change(_ numbers: Range<Int>, _ change: ChangedEndpointBody) throws {
        let (body, ids) = (try Self.text(change), Array(ids[numbers]))
        try send(
            ids.count, { Request(method: "PATCH", path: "/v1/webhooks/\(ids[$0])", body: body) },
            answered: { _, answer in _ = try answer.decoded(EndpointBody.self, status: 200) })
    }

    /// Queues `events` for each endpoint.
    func trigger(_ events: Int) throws {
        let (body, count) = (try Self.text(TriggerBody(type: .changed)), ids.count)
        try send(
            events, { _ in Request(method: "POST", path: "/v1/webhook-events", body: body) },
            answered: { _, answer in
                let queued = try answer.decoded(QueuedBody.self, status: 202).queued
                guard queued == count else { throw BenchFailure("an event was queued \(queued) times of \(count)") }
            })
    }

    private func send(
        _ count: Int, _ call: @escaping (Int) -> Request, answered: @escaping (Int, Response) throws -> Void
    ) throws {
        // Separate connections: the service closes an idle one.
        let loop = try ClosedLoad(port: port, connections: min(count, Self.connections))
        let tokens = tokens
        try loop.run(
            count: count,
            call: { number in
                var request = call(number)
                request.token = tokens[number % tokens.count]
                return request
            }, answered: answered)
    }

    private static func text(_ body: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(body), as: UTF8.self)
    }
}
