import AsyncHTTPClient
import DoorstepAPI
import Foundation
import NIOCore
import NIOHTTP1
import WireCoding

/// A browser that is signed in at the desk.
struct DeskBrowser {
    private static let timeout = TimeAmount.seconds(30)

    let client: HTTPClient
    let url: String
    private let cookie: String

    /// Signs in by a link, as a person does.
    ///
    /// - Parameter token: an operator's.
    static func signIn(client: HTTPClient, url: String, token: String) async throws -> DeskBrowser {
        var ask = HTTPClientRequest(url: url + "/v1/sign-in-links")
        ask.method = .POST
        ask.headers.add(name: "Authorization", value: "Bearer \(token)")
        let answer = try await client.execute(ask, timeout: timeout)
        let body = Data(try await answer.body.collect(upTo: 10_000).readableBytesView)
        let link = try WireJSON.decode(SignInLinkBody.self, from: body)
        var open = HTTPClientRequest(url: link.url)
        open.method = .POST
        let opened = try await client.execute(open, timeout: timeout)
        _ = try await opened.body.collect(upTo: 10_000)
        guard let cookie = opened.headers.first(name: "Set-Cookie")?.split(separator: ";").first else {
            throw BenchFailure("the desk signs nobody in: \(opened.status)")
        }
        return DeskBrowser(client: client, url: url, cookie: String(cookie))
    }

    private func request(_ path: String, accept: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url + path)
        request.headers.add(name: "Accept", value: accept)
        request.headers.add(name: "Accept-Encoding", value: "gzip")
        request.headers.add(name: "Cookie", value: cookie)
        return request
    }

    /// The body of a page, or of what it loads.
    func get(_ path: String) async throws -> [UInt8] {
        let answer = try await client.execute(request(path, accept: "text/html"), timeout: Self.timeout)
        let body = Array(try await answer.body.collect(upTo: 10_000_000).readableBytesView)
        guard answer.status == .ok else { throw BenchFailure("\(path): \(answer.status)") }
        return body
    }

    /// Reads a stream of events, whole ones, until the task is cancelled.
    func follow(_ path: String, _ take: ([UInt8]) async -> Void) async throws {
        let answer = try await client.execute(
            request(path, accept: "text/event-stream"), timeout: .hours(1))
        guard answer.status == .ok else { throw BenchFailure("\(path): \(answer.status)") }
        var pending: [UInt8] = []
        for try await chunk in answer.body {
            pending += chunk.readableBytesView
            while let end = pending.firstRange(of: [10, 10]) {
                await take(Array(pending[..<end.lowerBound]))
                pending.removeFirst(end.upperBound)
            }
        }
    }
}
