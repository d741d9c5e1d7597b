import CommandOutput
import Foundation
import NIOHTTP1
import ScriptedPeers
import Testing

@testable import StackClient

@Suite("Redirects of requests to a service", .timeLimit(.minutes(10)))
struct PeerClientTests {
    /// Sends a request through a proxy that redirects all but its page to sign in.
    ///
    /// - Parameter location: the redirect's address, by default the page of the proxy itself.
    /// - Returns: the request's failure, and the number of requests that the proxy received.
    private func send(
        redirectedBy status: Int, to location: String = "/login", _ send: (PeerClient) async throws -> Void
    ) async throws -> (failure: CommandFailure?, requests: Int) {
        let proxy = try await ScriptedHTTPServer.start { received in
            received.head.uri == "/login"
                ? .answer(200, headers: ["Content-Type": "text/html"], body: "<h1>Sign in</h1>")
                : .answer(status, headers: ["Location": location])
        }
        let client = try PeerClient(.orders, token: "token", environment: ["DOORSTEP_ORDERS_URL": proxy.origin])
        var failure: CommandFailure?
        do {
            try await send(client)
        } catch let error as CommandFailure {
            failure = error
        }
        try await proxy.stop()
        return (failure, proxy.requestCount)
    }

    @Test("A change that a proxy redirects fails, and is not made as a read of the proxy's page")
    func change() async throws {
        let sent = try await send(redirectedBy: 303) { client in
            _ = try await client.exchange(.DELETE, "/v1/sources/velo", body: NoBody?.none)
        }
        let failure = try #require(sent.failure)
        #expect(failure.kind == .unavailable && failure.message.contains("303, a redirect to another path"))
        #expect(sent.requests == 1)
    }

    @Test(
        "The body of a request is sent to no address of a redirect, which the failure names by its host",
        arguments: [307, 308])
    func body(status: Int) async throws {
        let sent = try await send(redirectedBy: status, to: "https://sign-in.example/login?secret=1") { client in
            _ = try await client.exchange(.POST, "/v1/orders", json: Data("{}".utf8))
        }
        let failure = try #require(sent.failure)
        #expect(failure.kind == .unavailable && !failure.message.contains("secret"))
        #expect(failure.message.contains("\(status), a redirect to sign-in.example, which"))
        #expect(sent.requests == 1)
    }

    @Test("Bytes that are no JSON, and a read, fail likewise")
    func others() async throws {
        let image = try await send(redirectedBy: 307) { client in
            _ = try await client.send(.PUT, "/v1/stores/nordhavn/face/logo", bytes: Data([1]), as: NoBody.self)
        }
        #expect(image.failure?.kind == .unavailable && image.requests == 1)
        let read = try await send(redirectedBy: 302) { client in
            _ = try await client.get("/v1/deliveries", as: NoBody.self)
        }
        #expect(read.failure?.kind == .unavailable && read.requests == 1)
    }

    @Test("A probe reports the redirect itself, so that a page to sign in counts as no healthy service")
    func probe() async throws {
        let proxy = try await ScriptedHTTPServer.start { received in
            received.head.uri == "/login" ? .answer(200) : .answer(302, headers: ["Location": "/login"])
        }
        let client = try PeerClient(.orders, token: nil, environment: ["DOORSTEP_ORDERS_URL": proxy.origin])
        let status = try await client.probe("/health/ready").status
        #expect(status == 302 && proxy.requestCount == 1)
        try await proxy.stop()
    }
}
