import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

extension HTTPClient {
    /// One answer, read whole.
    struct Answer: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let body: Data
    }

    /// Sends a request, with a body of JSON where there is one, and reads the whole answer.
    ///
    /// - Parameter token: of the caller; nil for a request without one.
    func call(
        _ method: HTTPMethod, _ url: String, body: String? = nil, token: String? = nil, headers: HTTPHeaders = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = headers
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await execute(request, timeout: .seconds(60))
        return Answer(
            status: response.status, headers: response.headers,
            body: Data(try await response.body.collect(upTo: 1 << 24).readableBytesView))
    }
}

extension HTTPClient.Answer {
    /// The answer, if it has this status.
    ///
    /// - Throws: `BenchFailure`, with the answer, where it has another.
    func require(_ expected: HTTPResponseStatus, _ doing: String) throws -> HTTPClient.Answer {
        guard status == expected else {
            throw BenchFailure("\(doing): \(status) \(String(decoding: body.prefix(2_000), as: UTF8.self))")
        }
        return self
    }
}
