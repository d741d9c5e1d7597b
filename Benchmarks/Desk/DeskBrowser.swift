import APIClient
import AsyncHTTPClient
import DoorstepAPI
import NIOCore
import NIOHTTP1
import WireCoding

/// A browser that is signed in at the desk.
struct DeskBrowser {
    let client: HTTPClient
    let url: String
    private let cookie: String

    /// Signs in by a link, as a person does.
    ///
    /// - Parameter token: an operator's.
    static func signIn(client: HTTPClient, url: String, token: String) async throws -> DeskBrowser {
        let made = try await client.call(.POST, url + "/v1/sign-in-links", token: token)
        let link = try WireJSON.decode(SignInLinkBody.self, from: made.body)
        let opened = try await client.call(.POST, link.url)
        guard let cookie = opened.headers.first(name: "Set-Cookie")?.split(separator: ";").first else {
            throw BenchFailure("the desk signs nobody in: \(opened.status)")
        }
        return DeskBrowser(client: client, url: url, cookie: String(cookie))
    }

    private func headers(accept: String) -> HTTPHeaders {
        ["Accept": accept, "Accept-Encoding": "gzip", "Cookie": cookie]
    }

    /// The body of a page, or of a file that it loads.
    func get(_ path: String) async throws -> [UInt8] {
        Array(try await client.call(.GET, url + path, headers: headers(accept: "text/html")).require(.ok, path).body)
    }

    /// Reads a stream of events, whole ones, until the task is cancelled.
    func follow(_ path: String, _ receive: ([UInt8]) async -> Void) async throws {
        var request = HTTPClientRequest(url: url + path)
        request.headers = headers(accept: "text/event-stream")
        let answer = try await client.execute(request, timeout: .hours(1))
        guard answer.status == .ok else { throw BenchFailure("\(path): \(answer.status)") }
        var pending: [UInt8] = []
        for try await chunk in answer.body {
            pending += chunk.readableBytesView
            while let end = pending.firstRange(of: [10, 10]) {
                await receive(Array(pending[..<end.lowerBound]))
                pending.removeFirst(end.upperBound)
            }
        }
    }
}
