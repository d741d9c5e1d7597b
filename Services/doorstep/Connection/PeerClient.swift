import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import WireCoding

/// One of the three services.
enum Peer: String, CaseIterable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case activityDispatch = "activity-dispatch"

    /// The variable that `stack.env` sets.
    var variable: String {
        switch self {
        case .orders: "DOORSTEP_ORDERS_URL"
        case .courierETA: "DOORSTEP_COURIER_ETA_URL"
        case .activityDispatch: "DOORSTEP_ACTIVITY_DISPATCH_URL"
        }
    }

    var standardAddress: String {
        switch self {
        case .orders: "http://127.0.0.1:8081"
        case .courierETA: "http://127.0.0.1:8082"
        case .activityDispatch: "http://127.0.0.1:8083"
        }
    }
}

/// A service, spoken to with one person's token by those who run deliveries: operators, stores and couriers.
struct PeerClient: Sendable {
    /// Bytes of an answer that are read at most.
    static let answerBytesMax = 8 * 1024 * 1024
    /// A question may be asked again; what became of a change that was not answered has to be found out.
    static let readTimeout = TimeAmount.seconds(8)
    static let changeTimeout = TimeAmount.seconds(20)
    static let lookTimeout = TimeAmount.seconds(3)

    let peer: Peer
    let address: String
    let token: String?

    /// - Throws: `CommandFailure` when the token's file cannot be read.
    init(
        _ peer: Peer, as person: Person?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.init(peer, token: try person?.token(environment: environment), environment: environment)
    }

    init(_ peer: Peer, token: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.peer = peer
        let text = environment[peer.variable] ?? peer.standardAddress
        address = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.token = token
    }

    /// An answer with its body decoded, and its entity tag where it has one.
    struct Answer<Body: Sendable>: Sendable {
        let body: Body
        let entityTag: String?
    }

    func get<Body: Decodable & Sendable>(
        _ path: String, query: [(name: String, value: String?)] = [], as type: Body.Type = Body.self
    ) async throws -> Body {
        try await send(.GET, path, query: query, body: Nothing?.none, as: type).body
    }

    func send<Body: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String?)] = [],
        body: (some Encodable)?, headers: [String: String] = [:], as type: Body.Type = Body.self
    ) async throws -> Answer<Body> {
        let (data, answered) = try await exchange(method, path, query: query, body: body, headers: headers)
        do {
            return Answer(body: try WireJSON.decode(Body.self, from: data), entityTag: answered.first(name: "ETag"))
        } catch {
            throw CommandFailure(.unavailable, "\(peer.rawValue) gave an answer that cannot be read (\(error))")
        }
    }

    /// The bytes of a successful answer.
    func exchange(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String?)] = [],
        body: (some Encodable)?, headers: [String: String] = [:]
    ) async throws -> (Data, HTTPHeaders) {
        var request = HTTPClientRequest(url: address + path + Self.text(of: query))
        request.method = method
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let token { request.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try WireJSON.encode(body)))
        }
        let response: HTTPClientResponse
        let data: Data
        do {
            response = try await HTTPClient.shared.execute(
                request, timeout: method == .GET ? Self.readTimeout : Self.changeTimeout)
            data = Data(buffer: try await response.body.collect(upTo: Self.answerBytesMax))
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            throw CommandFailure(
                .unavailable, "\(peer.rawValue) does not answer at \(address); is it running? (\(error))")
        }
        let status = Int(response.status.code)
        if let kind = CommandFailure.kind(ofStatus: status) {
            // Asked too often is over soon, like any other absence.
            throw CommandFailure(
                status == 429 ? .unavailable : kind, ProblemText(data, status: status).sentence.safeOnTerminal)
        }
        return (data, response.headers)
    }

    /// A look from outside, whatever the answer is: its status, body and `Date`.
    ///
    /// - Throws: where there is no answer.
    func look(_ path: String) async throws -> (status: Int, body: Data, date: Date?) {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: address + path), timeout: Self.lookTimeout)
        let data = Data(buffer: try await response.body.collect(upTo: Self.answerBytesMax))
        let date = response.headers.first(name: "Date").flatMap(Self.date(of:))
        return (Int(response.status.code), data, date)
    }

    /// RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(of text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }

    private static func text(of query: [(name: String, value: String?)]) -> String {
        var components = URLComponents()
        components.queryItems = query.compactMap { item in item.value.map { URLQueryItem(name: item.name, value: $0) } }
        return components.queryItems?.isEmpty == false ? "?" + (components.percentEncodedQuery ?? "") : ""
    }
}

/// A body that is not sent.
struct Nothing: Codable, Sendable {}

/// Whose token a command speaks with; tokens come from files only.
enum Person: String, CaseIterable, Sendable {
    case customer, `operator`, store, courier

    var variable: String { "DOORSTEP_\(rawValue.uppercased())_TOKEN_FILE" }

    func token(environment: [String: String]) throws -> String {
        guard let path = environment[variable] else {
            throw CommandFailure(
                .notAllowed, "no \(rawValue)'s token: set \(variable) to its file (make up writes .doorstep/stack.env)")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.notAllowed, "the \(rawValue)'s token cannot be read from \(path) (\(variable))")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// A problem document as one sentence for a person.
struct ProblemText {
    let sentence: String

    private struct Document: Decodable {
        let title: String?
        let detail: String?
        let allowed: [String]?
        let errors: [Place]?

        struct Place: Decodable {
            let path: String
            let message: String
        }
    }

    init(_ data: Data, status: Int) {
        guard let document = try? WireJSON.decode(Document.self, from: data), let title = document.title else {
            sentence = "the service answered \(status)"
            return
        }
        let places = (document.errors ?? []).map { "\($0.path) \($0.message)" }
        let parts = [title, document.detail].compactMap { $0 } + places
        sentence = parts.joined(separator: "; ")
    }
}
