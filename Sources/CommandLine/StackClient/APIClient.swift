package import AsyncHTTPClient
package import CommandOutput
package import Foundation
package import NIOCore
package import NIOHTTP1
internal import WireCoding

/// Sends HTTP requests to one of our services with the caller's token.
package struct APIClient: Sendable {
    /// Bytes of an answer that are read at most.
    package static let answerBytesMax = 8 * 1024 * 1024
    package static let answerTimeout = TimeAmount.seconds(10)

    package struct Answer: Sendable {
        package let status: Int
        package let body: Data
        package let headers: HTTPHeaders

        package init(status: Int, body: Data, headers: HTTPHeaders = HTTPHeaders()) {
            self.status = status
            self.body = body
            self.headers = headers
        }

        /// The service's refusal, from its problem document; nil for a success.
        package var refusal: CommandFailure? {
            guard let kind = CommandFailure.kind(ofStatus: status) else { return nil }
            return CommandFailure(kind, ProblemText(body, status: status).sentence.safeOnTerminal)
        }

        /// - Throws: the refusal, or that the answer cannot be read.
        package func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
            if let refusal { throw refusal }
            do {
                return try WireJSON.decode(type, from: body)
            } catch {
                throw CommandFailure(.unavailable, "The service answered in a way that this version cannot read.")
            }
        }
    }

    private let client: HTTPClient

    package init(_ client: HTTPClient = .shared) { self.client = client }

    /// Sends a request once, without retries.
    ///
    /// - Throws: `CommandFailure` of kind unavailable when there is no answer.
    package func send(
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
            throw CommandFailure.noAnswer(from: url, error)
        }
    }

    /// Runs `body` with an HTTP client and shuts the client down afterwards, also after an error.
    ///
    /// - Parameter readTimeout: the longest silence of a connection; nil leaves it to the request's time-out.
    /// - Throws: the error of `body`.
    package static func with<Result>(
        readTimeout: TimeAmount? = .seconds(45), _ body: (HTTPClient) async throws -> sending Result
    ) async throws -> sending Result {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5), read: readTimeout))
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(client)
            try await client.shutdown()
            return result
        } catch {
            // The error of `body` is thrown; the shutdown's would hide it.
            try? await client.shutdown()
            throw error
        }
    }

    /// Scheme, host and port of a URL, without the path, where a link has its secret.
    package static func origin(of url: String) -> String {
        guard let components = URLComponents(string: url), let host = components.host else {
            return "an unknown address"
        }
        let port = components.port.map { ":\($0)" } ?? ""
        return "\(components.scheme ?? "http")://\(host)\(port)"
    }
}
