import APIClient
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

extension HTTPClient {
    /// Sends a request, with a body of JSON where there is one, and reads the whole answer.
    ///
    /// - Parameter token: of the caller; nil for a request without one.
    func call(
        _ method: HTTPMethod, _ url: String, body: String? = nil, token: String? = nil, headers: HTTPHeaders = [:]
    ) async throws -> APIClient.Answer {
        try await APIClient(self).exchange(
            method, url, token: token, json: body.map { Data($0.utf8) }, headers: headers, timeout: .seconds(60))
    }
}

extension APIClient.Answer {
    /// The answer, if it has this status.
    ///
    /// - Throws: `BenchFailure`, with the answer, where it has another.
    func require(_ expected: HTTPResponseStatus, _ doing: String) throws -> APIClient.Answer {
        guard status == expected.code else {
            throw BenchFailure("\(doing): \(status) \(String(decoding: body.prefix(2_000), as: UTF8.self))")
        }
        return self
    }
}
