import APIClient
import AsyncHTTPClient
import DeliverySamples
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import NIOCore
import NIOHTTP1
import OrderDomain
import Synchronization
import WireCoding

@testable import Desk

/// The services as the desk meets them: each path answers what a test has put there.
final class ServicesByTest: Sendable {
    struct Sent: Sendable {
        let method: HTTPMethod
        /// With its query, without the service's address.
        let path: String
        let service: String
        let headers: HTTPHeaders
        let body: String
    }

    /// How a service that is away fails requests.
    enum Absence: Sendable {
        /// After it has received any request.
        case ofAnswers
        /// After it has received a read; it answers changes.
        case ofReads
        /// Before a connection is made.
        case ofConnections
    }

    private struct Away: Error {}

    private struct State {
        var answers: [String: APIClient.Answer] = [:]
        var away: Set<String> = []
        var absence = Absence.ofAnswers
        var answerTimes: [String: TimeAmount] = [:]
        var sent: [Sent] = []
        var observer: (@Sendable (Sent) -> Void)?
    }

    private let state = Mutex(State())

    /// What `GET` of a path of a service answers, or another method before a space.
    func answer(_ service: String, _ path: String, _ body: some Encodable, status: Int = 200) throws {
        let answer = APIClient.Answer(status: status, body: Data(try WireJSON.encode(body)))
        state.withLock { $0.answers["\(service) \(path)"] = answer }
    }

    /// What `GET` of a path of a service answers with bytes that are no JSON.
    func answer(_ service: String, _ path: String, bytes: [UInt8], type: String) {
        let answer = APIClient.Answer(status: 200, body: Data(bytes), headers: ["Content-Type": type])
        state.withLock { $0.answers["\(service) \(path)"] = answer }
    }

    /// How a service refuses what it would answer otherwise.
    func refuse(_ service: String, _ path: String, with problem: ProblemByTest, status: Int) throws {
        try answer(service, path, problem, status: status)
    }

    func set(away services: Set<String>, _ absence: Absence = .ofAnswers) {
        state.withLock { ($0.away, $0.absence) = (services, absence) }
    }

    /// Has a service answer after a time, for which no test waits: a request with a shorter limit fails at once.
    func set(answerTime: TimeAmount, of service: String) { state.withLock { $0.answerTimes[service] = answerTime } }

    /// Calls a function with each request before it is answered, such as one that moves a test's time.
    func observe(_ observer: @escaping @Sendable (Sent) -> Void) { state.withLock { $0.observer = observer } }

    /// What was asked, oldest first; forgotten with that.
    func takeSent() -> [Sent] {
        state.withLock { state in
            defer { state.sent = [] }
            return state.sent
        }
    }

    var send: APIClient.Send {
        { [self] request, timeout in
            let parts = request.url.dropFirst("http://".count).split(separator: "/", maxSplits: 1)
            let (service, path) = (String(parts[0]), "/" + (parts.count > 1 ? String(parts[1]) : ""))
            var body = ""
            if let bytes = try await request.body?.collect(upTo: 100_000) { body = String(buffer: bytes) }
            let sent = Sent(
                method: request.method, path: path, service: service, headers: request.headers, body: body)
            state.withLock { $0.observer }?(sent)
            return try state.withLock { state in
                state.sent.append(sent)
                if state.away.contains(service) {
                    switch state.absence {
                    case .ofAnswers: throw Away()
                    case .ofReads: if request.method == .GET { throw Away() }
                    case .ofConnections: throw HTTPClientError.connectTimeout
                    }
                }
                if let time = state.answerTimes[service], time > timeout { throw HTTPClientError.deadlineExceeded }
                let verb = request.method == .GET ? "" : "\(request.method.rawValue) "
                let bare = path.split(separator: "?").first.map(String.init) ?? path
                return state.answers["\(service) \(verb)\(path)"] ?? state.answers["\(service) \(verb)\(bare)"]
                    ?? APIClient.Answer(status: 404, body: Data("{}".utf8))
            }
        }
    }

    /// Has all three know one delivery, as a supervisor's token or another one reads it.
    func know(
        _ delivery: Delivery, entries: [TimelineBody.Entry] = [], for reader: Principal = Principal(.operator("ada"))
    ) throws {
        let body = DeliveryBody(delivery, dropOff: nil, links: [], for: reader)
        try answer("orders", "/v1/deliveries/\(delivery.id)", body)
        try answer(
            "orders", "/v1/deliveries/\(delivery.id)/timeline", TimelineBody(delivery: delivery.id, entries: entries))
        try answer("orders", "/v1/deliveries?ids=\(delivery.id)", Self.board([delivery]))
        let wanted = ActivityStep.after(DeliverySnapshot(delivery, links: []), arrival: nil, step: 0)
        let activity = ActivityBody(
            id: body.activity.rawValue, customer: delivery.customer.rawValue, delivery: delivery.id.rawValue,
            wanted: wanted, wantedAt: SampleDeliveries.placedAt, cards: [], timeline: [])
        try answer("activity-dispatch", "/v1/activities", ActivitiesBody(activities: [activity], phones: []))
    }

    static func row(_ delivery: Delivery, risk: BoardBody.Risk = .onTime, lateMinutes: Int? = nil) -> BoardBody.Row {
        BoardBody.Row(
            delivery, risk: risk, lateMinutes: lateMinutes, estimate: nil, cards: nil,
            for: Principal(.operator("ada")))
    }

    /// As many rows of live deliveries that need nothing.
    static func rows(_ count: Int) throws -> [BoardBody.Row] {
        let sample = SampleDeliveries.whole([])
        let text = String(decoding: try WireJSON.encode(row(sample)), as: UTF8.self)
        return try (0..<count).map { _ in
            let other = text.replacing(sample.id.rawValue, with: UUID().uuidString.lowercased())
            return try WireJSON.decode(BoardBody.Row.self, from: Data(other.utf8))
        }
    }

    static func board(_ deliveries: [Delivery]) -> BoardBody {
        BoardBody(
            counts: .init(
                live: deliveries.count, late: 0, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
            deliveries: deliveries.map { row($0) }, next: nil)
    }
}

extension CouriersBody.Row {
    /// A courier on duty with two deliveries.
    static func known(_ id: String) -> Self {
        .init(
            courier: SampleDeliveries.id(id), name: id.capitalized, phones: 1, lastSeenAt: nil, onDuty: true,
            deliveries: 2)
    }
}
