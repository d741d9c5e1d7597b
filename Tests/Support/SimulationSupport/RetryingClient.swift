import APIClient
package import AsyncHTTPClient
package import Foundation
import NIOCore
package import NIOHTTP1
import TestSupport
import WireCoding

/// An HTTP client with one token that retries until a service responds, as a real client would.
package struct RetryingClient: Sendable {
    package let stack: any StackUnderTest
    package let token: String

    package init(stack: any StackUnderTest, token: String) {
        self.stack = stack
        self.token = token
    }

    /// A response in the 400s, which a retry would get again.
    package struct ResponseError: Error, CustomStringConvertible {
        package let status: Int
        package let body: String

        package var description: String { "\(status) \(body)" }
    }

    /// More connections to a service than the client's default: each device keeps one for its stream.
    package static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(5)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Wall time of one attempt.
    private static let timeout = TimeAmount.seconds(15)

    package func get<Answer: Decodable>(_ service: ServiceName, _ path: String, as: Answer.Type = Answer.self)
        async throws
        -> Answer
    {
        try WireJSON.decode(Answer.self, from: try await exchange(.GET, service, path))
    }

    package func text(_ service: ServiceName, _ path: String) async throws -> String {
        String(decoding: try await exchange(.GET, service, path), as: UTF8.self)
    }

    package func send<Answer: Decodable>(
        _ method: HTTPMethod, _ service: ServiceName, _ path: String, _ body: some Encodable,
        headers: [String: String] = [:], as: Answer.Type = Answer.self
    ) async throws -> Answer {
        let bytes = try WireJSON.encode(body)
        return try WireJSON.decode(
            Answer.self, from: try await exchange(method, service, path, bytes, headers: headers))
    }

    /// Sends the same bytes and headers until there is a response, round robin over the replicas.
    ///
    /// - Throws: ``ResponseError``, or ``TimedOut`` after 90 seconds without a response.
    @discardableResult
    package func exchange(
        _ method: HTTPMethod, _ service: ServiceName, _ path: String, _ body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> Data {
        var answer: (status: Int, body: Data)?
        try await eventually("\(method) \(path) of \(service.rawValue) is answered") {
            // Where there is no response, the outcome is unknown, so the request is sent again.
            guard let (status, body) = try await once(method, service, path, body, headers: headers), status < 500,
                status != 429, !Self.isInUse(status, body)
            else { return false }
            answer = (status, body)
            return true
        }
        guard let answer else { preconditionFailure("eventually returned without a response") }
        guard (200..<300).contains(answer.status) else {
            throw ResponseError(status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
        }
        return answer.body
    }

    /// Sends once and returns the response, whatever its status; nil where the connection was refused, reset or slow.
    ///
    /// - Throws: `CancellationError` alone.
    package func once(
        _ method: HTTPMethod, _ service: ServiceName, _ path: String, _ body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> (status: Int, body: Data)? {
        do {
            return try await Self.attempt(method, stack.url(service) + path, token: token, body: body, headers: headers)
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }

    /// Sends one GET without a token; nil if there was no response.
    package static func probe(_ url: String) async -> Int? {
        try? await attempt(.GET, url).status
    }

    /// An earlier attempt with the same key is still in progress, or the process that ran it was killed.
    private static func isInUse(_ status: Int, _ body: Data) -> Bool {
        status == 409 && String(decoding: body, as: UTF8.self).contains("idempotency-key-in-use")
    }

    /// Sends one request to whatever is at the URL, with a body of JSON unless a header names another type.
    static func attempt(
        _ method: HTTPMethod, _ url: String, token: String? = nil, body: Data? = nil, headers: [String: String] = [:]
    ) async throws -> (status: Int, body: Data) {
        let answer = try await APIClient(http).exchange(
            method, url, token: token, json: body, headers: HTTPHeaders(headers.map { ($0.key, $0.value) }),
            timeout: timeout)
        return (answer.status, answer.body)
    }
}

extension StackUnderTest {
    package var asOperator: RetryingClient { RetryingClient(stack: self, token: tokens.operator) }
    package var asStore: RetryingClient { RetryingClient(stack: self, token: tokens.store) }
}
