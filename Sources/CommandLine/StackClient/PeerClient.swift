internal import APIClient
internal import AsyncHTTPClient
package import CommandOutput
internal import DoorstepAPI
package import Foundation
internal import NIOCore
package import NIOHTTP1
internal import TextCoding
internal import WireCoding

/// Calls one service with the token of an operator, a store or a courier.
package struct PeerClient: Sendable {
    /// A read may be repeated; a change that timed out may have been made, so its time-out is longer.
    static let readTimeout = TimeAmount.seconds(8)
    static let changeTimeout = TimeAmount.seconds(20)
    /// Republishing time grows with the number of live deliveries, and a repeated request would start over.
    static let republishTimeout = TimeAmount.minutes(15)
    /// An answer that is read at the pace of a disk or a terminal.
    static let downloadTimeout = TimeAmount.hours(1)
    static let probeTimeout = TimeAmount.seconds(3)
    /// The client of every peer, which follows no redirects; it lasts as long as the process, so nothing shuts it down.
    private static let api = APIClient(
        HTTPClient(eventLoopGroupProvider: .singleton, configuration: APIClient.configuration(readTimeout: nil)))

    package let peer: Peer
    package let address: String
    let token: String?

    /// - Throws: `CommandFailure` when the token's file cannot be read, or the address is none.
    package init(
        _ peer: Peer, as holder: TokenHolder, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        try self.init(peer, token: try holder.token(environment: environment), environment: environment)
    }

    /// - Throws: `CommandFailure` of kind usage when the address is none.
    package init(
        _ peer: Peer, token: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        self.peer = peer
        let text = environment[peer.variable] ?? peer.standardAddress
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https",
            url.host().map({ !$0.isEmpty }) ?? false
        else {
            throw CommandFailure(
                .usage, "\(peer.variable) is \"\(text)\", which is no address; write it as \(peer.standardAddress)"
            )
        }
        address = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.token = token
    }

    /// An answer with its body decoded, and its entity tag where it has one.
    package struct Answer<Body: Sendable>: Sendable {
        package let body: Body
        package let entityTag: String?
    }

    /// - Throws: `CommandFailure` where the service refuses or does not answer, or where the answer is unreadable.
    package func get<Body: Decodable & Sendable>(
        _ path: String, query: [(name: String, value: String?)] = [], as type: Body.Type = Body.self
    ) async throws -> Body {
        try await send(.GET, path, query: query, body: NoBody?.none, as: type).body
    }

    /// - Throws: `CommandFailure` where the service refuses or does not answer, or where the answer is unreadable.
    package func send<Body: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String?)] = [],
        body: (some Encodable)?, headers: [String: String] = [:], as type: Body.Type = Body.self
    ) async throws -> Answer<Body> {
        let (data, answered) = try await exchange(method, path, query: query, body: body, headers: headers)
        do {
            return Answer(body: try WireJSON.decode(Body.self, from: data), entityTag: answered.first(name: "ETag"))
        } catch {
            throw CommandFailure(
                .unavailable, "\(peer.rawValue) gave an answer that cannot be read (\(error))", mayBeDone: true)
        }
    }

    /// Sends bytes that are no JSON, such as an image.
    ///
    /// - Throws: `CommandFailure` where the service refuses or does not answer, or where the answer is unreadable.
    package func send<Body: Decodable & Sendable>(
        _ method: HTTPMethod, _ path: String, bytes: Data, headers: [String: String] = [:],
        as type: Body.Type = Body.self
    ) async throws -> Answer<Body> {
        let answer = try await Self.api.send(
            method, address + path, token: token, json: bytes,
            headers: headers.merging(["Content-Type": "application/octet-stream"]) { own, _ in own },
            timeout: Self.changeTimeout)
        return Answer(body: try answer.decode(type), entityTag: answer.headers.first(name: "ETag"))
    }

    /// The bytes of a successful answer.
    /// - Throws: `CommandFailure` where the service refuses or does not answer.
    package func exchange(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String?)] = [],
        body: (some Encodable)?, headers: [String: String] = [:]
    ) async throws -> (Data, HTTPHeaders) {
        try await exchange(
            method, path, query: query, json: try body.map { try WireJSON.encode($0) }, headers: headers)
    }

    /// The bytes of a successful answer to a body of JSON, which is sent as it is.
    ///
    /// - Parameter json: the bytes of the body; nil for none.
    /// - Throws: `CommandFailure` where the service refuses or does not answer.
    package func exchange(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String?)] = [],
        json: Data?, headers: [String: String] = [:]
    ) async throws -> (Data, HTTPHeaders) {
        let answer = try await Self.api.send(
            method, address + path + Self.text(of: query), token: token, json: json, headers: headers,
            timeout: method == .GET ? Self.readTimeout : Self.changeTimeout)
        if let refusal = answer.refusal { throw refusal }
        return (answer.body, answer.headers)
    }

    /// Passes the bytes of a successful answer on as they arrive.
    ///
    /// - Throws: `CommandFailure` where the service refuses, does not answer, or ends the answer early; the error of
    ///   `receive`.
    package func download(
        _ path: String, query: [(name: String, value: String?)] = [], _ receive: (Data) throws -> Void
    ) async throws {
        let url = address + path + Self.text(of: query)
        try await APIClient.with { http in
            let response: HTTPClientResponse
            do {
                response = try await APIClient(http).stream(url, token: token, timeout: Self.downloadTimeout)
                guard (200..<300).contains(response.status.code) else {
                    let answer = try await APIClient.Answer(reading: response)
                    throw answer.refusal ?? CommandFailure(.unavailable, "\(peer.rawValue) answered \(answer.status)")
                }
                for try await bytes in response.body { try receive(Data(bytes.readableBytesView)) }
            } catch let failure as CommandFailure {
                throw failure
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch {
                throw CommandFailure.noAnswer(from: url, error)
            }
        }
    }

    /// Makes the service republish everything live, and waits for the end.
    ///
    /// - Returns: the number of republished messages.
    /// - Throws: `CommandFailure` where the service refuses or does not answer within 15 minutes.
    package func republish() async throws -> Int {
        try await APIClient.with(readTimeout: nil) { http in
            try await APIClient(http).send(
                .POST, address + "/v1/admin/republish", token: token, timeout: Self.republishTimeout
            ).decode(RepublishBody.self).republished
        }
    }

    /// Gets a path without a token and answers its status, body and `Date`, whatever the status is.
    ///
    /// - Throws: the HTTP client's error without an answer.
    package func probe(_ path: String) async throws -> (status: Int, body: Data, date: Date?) {
        let answer = try await Self.api.exchange(.GET, address + path, token: nil, timeout: Self.probeTimeout)
        return (answer.status, answer.body, answer.headers.first(name: "Date").flatMap(HTTPDate.parse))
    }

    private static func text(of query: [(name: String, value: String?)]) -> String {
        var components = URLComponents()
        components.queryItems = query.compactMap { item in item.value.map { URLQueryItem(name: item.name, value: $0) } }
        return components.queryItems?.isEmpty == false ? "?" + (components.percentEncodedQuery ?? "") : ""
    }
}

extension PeerClient: CustomStringConvertible {
    /// The service's name; the token must never be printed.
    package var description: String { peer.rawValue }
}

/// The type of a body that is not sent.
package struct NoBody: Codable, Sendable {}
