package import AsyncHTTPClient
package import Foundation
package import NIOCore
package import NIOHTTP1
internal import NIOPosix
internal import WireCoding

/// Sends HTTP requests to our services with the caller's token, each once, and reads the answers whole.
package struct APIClient: Sendable {
    /// Bytes of an answer that are read at most.
    private static let answerBytesMax = 8 * 1024 * 1024
    package static let answerTimeout = TimeAmount.seconds(10)

    /// Sends a request, and returns the answer within a time.
    package typealias Send = @Sendable (HTTPClientRequest, TimeAmount) async throws -> Answer

    /// An answer, whatever its status.
    package struct Answer: Sendable {
        package let status: Int
        package let body: Data
        package let headers: HTTPHeaders

        package init(status: Int, body: Data, headers: HTTPHeaders = HTTPHeaders()) {
            self.status = status
            self.body = body
            self.headers = headers
        }

        /// Reads a response to its end.
        ///
        /// - Throws: the HTTP client's error, also where the body is too long.
        package init(reading response: HTTPClientResponse) async throws {
            let body = try await response.body.collect(upTo: APIClient.answerBytesMax)
            self.init(
                status: Int(response.status.code), body: Data(body.readableBytesView), headers: response.headers)
        }

        package var isSuccess: Bool { (200..<300).contains(status) }

        /// The reason of a refusal; nil where the answer has none.
        package var problem: ProblemDocument? {
            // An answer without a problem document is described by its status.
            try? WireJSON.decode(ProblemDocument.self, from: body)
        }
    }

    /// Sends a request, and returns the answer whose body is still to be read.
    private typealias Open = @Sendable (HTTPClientRequest, TimeAmount) async throws -> HTTPClientResponse

    private let send: Send
    private let open: Open

    /// - Parameter send: sends a request; it follows no redirects, which would take the token elsewhere.
    package init(send: @escaping Send) {
        self.send = send
        open = { request, timeout in
            let answer = try await send(request, timeout)
            return HTTPClientResponse(
                status: HTTPResponseStatus(statusCode: answer.status), headers: answer.headers,
                body: .bytes(ByteBuffer(bytes: answer.body)))
        }
    }

    /// - Parameter client: for a token that may go nowhere else, one of ``configuration(connectTimeout:readTimeout:)``,
    ///   which follows no redirects.
    package init(_ client: HTTPClient) {
        send = { try await Answer(reading: client.execute($0, timeout: $1)) }
        open = { try await client.execute($0, timeout: $1) }
    }

    /// Sends a request once, without retries.
    ///
    /// - Parameter json: the bytes of a body; nil for none.
    /// - Throws: the HTTP client's error where there is no answer.
    package func exchange(
        _ method: HTTPMethod, _ url: String, token: String?, json: Data? = nil, headers: HTTPHeaders = [:],
        timeout: TimeAmount = answerTimeout
    ) async throws -> Answer {
        try await send(Self.request(method, url, token: token, json: json, headers: headers), timeout)
    }

    /// Gets an answer whose body is read as it arrives, so that its length costs no memory.
    ///
    /// - Parameter timeout: of the whole answer.
    /// - Throws: the HTTP client's error where there is no answer.
    package func stream(
        _ url: String, token: String?, headers: HTTPHeaders = [:], timeout: TimeAmount
    ) async throws -> HTTPClientResponse {
        try await open(Self.request(.GET, url, token: token, headers: headers), timeout)
    }

    private static func request(
        _ method: HTTPMethod, _ url: String, token: String?, json: Data? = nil, headers: HTTPHeaders
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = ["Accept": "application/json, application/problem+json"]
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let json {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(json)
        }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        return request
    }

    /// The configuration of a client of our services, which follows no redirects.
    ///
    /// - Parameter readTimeout: the longest silence of a connection; nil leaves it to the request's time-out.
    package static func configuration(
        connectTimeout: TimeAmount = .seconds(5), readTimeout: TimeAmount?
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: connectTimeout, read: readTimeout))
        configuration.httpVersion = .http1Only
        return configuration
    }

    /// Runs `body` with an HTTP client and shuts the client down afterwards, also after an error.
    ///
    /// - Throws: the error of `body`.
    package static func with<Result>(
        readTimeout: TimeAmount? = .seconds(45), _ body: (HTTPClient) async throws -> sending Result
    ) async throws -> sending Result {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration(readTimeout: readTimeout))
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

    /// Whether an error means that no connection to the service was made, so that the request did not reach it.
    package static func isWithoutConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError:
            [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error)
        case let error as IOError: error.errnoCode == ECONNREFUSED
        default: error is NIOConnectionError
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

/// A service's reason to refuse a request, as a problem document (RFC 9457).
package struct ProblemDocument: Decodable, Sendable {
    /// A fault of one property of the request.
    package struct Place: Decodable, Sendable {
        package let path: String
        package let message: String
        package let allowed: [String]?
    }

    package let type: String?
    package let title: String?
    package let detail: String?
    package let allowed: [String]?
    package let errors: [Place]?
}
