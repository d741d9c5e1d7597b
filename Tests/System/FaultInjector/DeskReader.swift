import AsyncHTTPClient
import DoorstepAPI
import Foundation
import NIOCore
import NIOHTTP1
import SimulationSupport
import WireCoding

/// The desk as an operator reads it in a browser, who signs in again where the session is over.
actor DeskReader {
    private static let timeout = TimeAmount.seconds(15)
    private static let pageBytesMax = 4 << 20
    private static let http = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))

    private let stack: ProxiedStack
    private var session: String?

    init(_ stack: ProxiedStack) { self.stack = stack }

    /// Deliveries that the board counts as live; nil where it is not shown.
    func liveCount() async throws -> Int? {
        if session == nil { session = try await signIn() }
        guard let session else { return nil }
        var request = HTTPClientRequest(url: stack.url(.desk) + "/")
        request.headers.add(name: "Cookie", value: session)
        let (response, body) = try await send(request)
        guard response.status == .ok else {
            self.session = nil
            return nil
        }
        let page = String(decoding: body, as: UTF8.self)
        guard let mark = page.range(of: #"id="count-live">"#) else { return nil }
        return Int(page[mark.upperBound...].prefix { $0 != "<" })
    }

    /// - Returns: the cookie of the session; nil where the desk signs nobody in.
    private func signIn() async throws -> String? {
        let link: SignInLinkBody = try WireJSON.decode(
            SignInLinkBody.self,
            from: try await stack.asOperator.exchange(
                .POST, .desk, "/v1/sign-in-links"))
        var request = HTTPClientRequest(url: stack.url(.desk) + (URL(string: link.url)?.path() ?? ""))
        request.method = .POST
        let (response, _) = try await send(request)
        return response.headers.first(name: "Set-Cookie")?.split(separator: ";").first.map(String.init)
    }

    private func send(_ request: HTTPClientRequest) async throws -> (HTTPClientResponse, Data) {
        let response = try await Self.http.execute(request, timeout: Self.timeout)
        return (response, Data(try await response.body.collect(upTo: Self.pageBytesMax).readableBytesView))
    }
}
