import DoorstepAPI
import FaultInjection
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import WireCoding

/// Asks for orders and changes as a shop's backend does: each until there is a final answer, which the ledger keeps.
struct Shop: Sendable {
    let stack: ProxiedStack
    let book: LedgerBook
    let gate: Gate

    /// What a change came to: the delivery after it, or nil where it was refused.
    typealias Outcome = DeliveryBody?

    private static let pauseBetweenAttempts = Duration.milliseconds(100)

    private var store: RetryingClient { stack.asStore }
    private var `operator`: RetryingClient { stack.asOperator }

    // MARK: Orders

    /// Places an order; its key is its reference.
    func place(_ body: PlaceOrderBody) async throws -> OrderBody {
        let bytes = try WireJSON.encode(body)
        return try await gate.pass {
            while true {
                let answer = try await answer(
                    .POST, "/v1/orders", bytes, from: store, headers: ["Idempotency-Key": body.reference])
                if (200..<300).contains(answer.status) {
                    let order = try WireJSON.decode(OrderBody.self, from: answer.body)
                    await book.placed(body.reference, deliveries: order.deliveries.map(\.id.rawValue))
                    return order
                }
                if !answer.isKeyInUse {
                    await book.answeredUnexpectedly("POST /v1/orders: \(answer)")
                    throw CancellationError()
                }
                try await Task.sleep(for: Self.pauseBetweenAttempts)
            }
        }
    }

    // MARK: Changes

    func report(_ status: StatusCode, of id: DeliveryID) async throws -> Outcome {
        try await change(id, status: status) { marker in
            Request(.POST, "status", try WireJSON.encode(StatusBody(status: status, reason: marker)))
        }
    }

    /// Sets an ended delivery to another status.
    func reopen(_ id: DeliveryID, as status: StatusCode) async throws -> Outcome {
        try await change(id, status: status) { marker in
            Request(
                .POST, "status", try WireJSON.encode(StatusBody(status: status, reason: marker)), isByOperator: true)
        }
    }

    /// Sets another promise, and the same once more, which must change nothing.
    func promise(_ promise: Promise, of id: DeliveryID) async throws -> Outcome {
        try await change(id) { marker in
            Request(
                .PUT, "promise",
                try WireJSON.encode(PromiseBody(start: promise.start, end: promise.end, reason: marker)),
                isRepeated: true)
        }
    }

    func assign(_ courier: CourierID, to id: DeliveryID) async throws -> Outcome {
        let described = CourierBody(id: courier, name: "Mira", vehicle: .bicycle, phone: nil)
        return try await change(id) { marker in
            Request(.PUT, "courier", try WireJSON.encode(AssignBody(courier: .described(described), reason: marker)))
        }
    }

    func hold(_ id: DeliveryID) async throws -> Outcome {
        try await change(id) { marker in
            Request(.PUT, "hold", try WireJSON.encode(HoldBody(reason: marker)), isByOperator: true)
        }
    }

    func release(_ id: DeliveryID) async throws -> Outcome {
        try await change(id) { marker in
            Request(.DELETE, "hold", try WireJSON.encode(HoldBody(reason: marker)), isByOperator: true)
        }
    }

    /// Swaps an item, or proposes to; the substitute's name is the change's marker.
    func substitute(_ item: ItemID, of id: DeliveryID, isProposed: Bool) async throws -> Outcome {
        try await change(id) { marker in
            let body = ItemBody(
                status: isProposed ? .substituteProposed : .substituted, substitute: .init(name: marker))
            return Request(.PATCH, "items/\(item)", try WireJSON.encode(body))
        }
    }

    // MARK: One change

    private struct Request: Sendable {
        let method: HTTPMethod
        let path: String
        let body: Data
        let isByOperator: Bool
        /// Whether it is sent once more after it was acknowledged.
        let isRepeated: Bool

        init(_ method: HTTPMethod, _ path: String, _ body: Data, isByOperator: Bool = false, isRepeated: Bool = false) {
            self.method = method
            self.path = path
            self.body = body
            self.isByOperator = isByOperator
            self.isRepeated = isRepeated
        }
    }

    /// Statuses that a milestone may have set before they are reported.
    private static let milestones: Set<StatusCode> = [.toStore, .enRoute, .arriving, .atDoor]

    private func change(
        _ id: DeliveryID, status: StatusCode? = nil, _ make: (String) throws -> Request
    ) async throws -> Outcome {
        let change = Ledger.Change(delivery: id.rawValue, marker: await book.nextMarker(), status: status)
        let request = try make(change.marker)
        return try await gate.pass {
            await book.asked(change)
            return try await settle(change, request, of: id)
        }
    }

    /// Sends a change until its outcome is known.
    private func settle(_ change: Ledger.Change, _ request: Request, of id: DeliveryID) async throws -> Outcome {
        let client = request.isByOperator ? `operator` : store
        while true {
            // An operator says which version they have seen.
            let headers = request.isByOperator ? ["If-Match": "\"v\(try await delivery(id).version)\""] : [:]
            let answer = try await answer(
                request.method, "/v1/deliveries/\(id)/\(request.path)", request.body, from: client, headers: headers)
            switch answer.status {
            case 200..<300:
                let body = try WireJSON.decode(DeliveryBody.self, from: answer.body)
                let wasSo = try await wasAlreadySo(change, after: body)
                await book.settled(change, wasSo ? .alreadySo : .acknowledged)
                if request.isRepeated {
                    _ = try await self.answer(
                        request.method, "/v1/deliveries/\(id)/\(request.path)", request.body, from: client)
                }
                return body
            case 409, 412, 422:
                // An earlier attempt, whose answer was lost, may have made the change.
                if try await isInTimeline(change) {
                    await book.settled(change, .acknowledged)
                    return try await delivery(id)
                }
                if answer.status == 412 { continue }
                await book.settled(change, .refused)
                await book.refused("\(request.method) \(request.path) \(change.status?.rawValue ?? ""): \(answer)")
                return nil
            default:
                await book.answeredUnexpectedly("\(request.method) \(request.path): \(answer)")
                await book.settled(change, .refused)
                return nil
            }
        }
    }

    private func wasAlreadySo(_ change: Ledger.Change, after body: DeliveryBody) async throws -> Bool {
        guard let status = change.status, Self.milestones.contains(status), body.reason != change.marker
        else { return false }
        return try await !isInTimeline(change)
    }

    private func isInTimeline(_ change: Ledger.Change) async throws -> Bool {
        let answer = try await answer(
            .GET, "/v1/deliveries/\(change.delivery)/timeline", nil, from: `operator`)
        guard answer.status == 200 else { return false }
        let timeline = try WireJSON.decode(TimelineBody.self, from: answer.body)
        return timeline.entries.contains { $0.reason == change.marker || $0.what.contains(change.marker) }
    }

    func delivery(_ id: DeliveryID) async throws -> DeliveryBody {
        let answer = try await answer(.GET, "/v1/deliveries/\(id)", nil, from: `operator`)
        return try WireJSON.decode(DeliveryBody.self, from: answer.body)
    }

    // MARK: Attempts

    private struct Answer: Sendable, CustomStringConvertible {
        let status: Int
        let body: Data

        private struct Problem: Decodable { let type: String }

        /// The last part of the problem's type, such as `item-settled`; nil for other bodies.
        var slug: String? {
            (try? WireJSON.decode(Problem.self, from: body))?.type.split(separator: "/").last.map(String.init)
        }
        var isKeyInUse: Bool { status == 409 && slug == "idempotency-key-in-use" }
        var description: String { "\(status) \(slug ?? String(decoding: body.prefix(300), as: UTF8.self))" }
    }

    /// Sends the same bytes until there is an answer that is final: no 5xx and no 429.
    private func answer(
        _ method: HTTPMethod, _ path: String, _ body: Data?, from client: RetryingClient,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        while true {
            try Task.checkCancellation()
            if let (status, bytes) = try? await client.once(method, .orders, path, body, headers: headers),
                status < 500, status != 429
            {
                return Answer(status: status, body: bytes)
            }
            try await Task.sleep(for: Self.pauseBetweenAttempts)
        }
    }
}
