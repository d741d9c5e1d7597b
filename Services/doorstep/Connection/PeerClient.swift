import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import WireCoding

/// A service, spoken to with one person's token by those who run deliveries: operators, stores and couriers.
struct PeerClient: Sendable {
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
        let answer = try await APIClient().send(
            method, address + path + Self.text(of: query), token: token,
            json: try body.map { Data(try WireJSON.encode($0)) }, headers: headers,
            timeout: method == .GET ? Self.readTimeout : Self.changeTimeout)
        if let refusal = answer.refusal { throw refusal }
        return (answer.body, answer.headers)
    }

    /// A look from outside, whatever the answer is: its status, body and `Date`.
    ///
    /// - Throws: where there is no answer.
    func look(_ path: String) async throws -> (status: Int, body: Data, date: Date?) {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: address + path), timeout: Self.lookTimeout)
        let data = Data(buffer: try await response.body.collect(upTo: APIClient.answerBytesMax))
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
