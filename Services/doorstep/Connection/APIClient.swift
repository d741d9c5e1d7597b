import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import WireCoding

/// Speaks to one of our services over HTTP, as whoever the token says.
struct APIClient: Sendable {
    /// Bytes of an answer that are read at most.
    static let answerBytesMax = 8 * 1024 * 1024
    static let answerTimeout = TimeAmount.seconds(10)

    struct Answer: Sendable {
        let status: Int
        let body: Data
        var headers = HTTPHeaders()

        /// Why the service refused, in its own words; nil for a success.
        var refusal: CommandFailure? {
            guard let kind = CommandFailure.kind(ofStatus: status) else { return nil }
            return CommandFailure(kind, ProblemText(body, status: status).sentence.safeOnTerminal)
        }

        /// - Throws: the refusal, or that the answer cannot be read.
        func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
            if let refusal { throw refusal }
            do {
                return try WireJSON.decode(type, from: body)
            } catch {
                throw CommandFailure(.unavailable, "The service answered in a way that this version cannot read.")
            }
        }
    }

    private let client: HTTPClient

    init(_ client: HTTPClient = .shared) { self.client = client }

    /// Sends a request once.
    ///
    /// - Throws: `CommandFailure` of kind unavailable when there is no answer.
    func send(
        _ method: HTTPMethod, _ url: String, token: String?, json: Data? = nil, headers: [String: String] = [:],
        timeout: TimeAmount = answerTimeout
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.headers.add(name: "Accept", value: "application/json, application/problem+json")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let json {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(json)
        }
        do {
            let response = try await client.execute(request, timeout: timeout)
            let body = try await response.body.collect(upTo: Self.answerBytesMax)
            return Answer(
                status: Int(response.status.code), body: Data(body.readableBytesView), headers: response.headers)
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            throw CommandFailure(.unavailable, "no answer from \(Self.origin(of: url)); is it running? (\(error))")
        }
    }

    /// Runs `body` with a client that is shut down after it, whatever happens.
    static func with<Result>(
        _ body: (HTTPClient) async throws -> sending Result
    ) async throws -> sending Result {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5), read: .seconds(45)))
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(client)
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// Scheme, host and port, without anything that a link keeps secret.
    static func origin(of url: String) -> String {
        guard let components = URLComponents(string: url), let host = components.host else {
            return "an unknown address"
        }
        let port = components.port.map { ":\($0)" } ?? ""
        return "\(components.scheme ?? "http")://\(host)\(port)"
    }
}
