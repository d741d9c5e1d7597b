import NIOCore
import NIOPosix
import ScriptedPeers
import Synchronization
import Testing

@testable import APNsClient

/// Gives each look-up the next address, and the last one ever after.
private final class TurningResolver: Resolver, Sendable {
    private let left: Mutex<[SocketAddress]>

    init(_ addresses: [SocketAddress]) { left = Mutex(addresses) }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let address = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        return MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture([address])
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture([])
    }

    func cancelQueries() {}
}

/// Finds no address.
private struct FailingResolver: Resolver, Sendable {
    private struct NoAddress: Error {}

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { nothing() }
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { nothing() }
    func cancelQueries() {}

    private func nothing() -> EventLoopFuture<[SocketAddress]> {
        MultiThreadedEventLoopGroup.singleton.next().makeFailedFuture(NoAddress())
    }
}

@Suite("Resolving APNs' name", .timeLimit(.minutes(10)))
struct NameResolutionTests {
    @Test("The name is looked up anew for each connection, so that a server that moves is found")
    func anew() async throws {
        let former = try await ScriptedHTTP2Server.start { _ in .answer(200) }
        let next = try await ScriptedHTTP2Server.start(certificate: former.certificate) { _ in .answer(200) }
        let resolver = TurningResolver(
            try [former, next].map { try SocketAddress(ipAddress: "127.0.0.1", port: $0.port) })
        let client = try Fixture.client(former) {
            $0.productionURL = "https://localhost"
            $0.resolver = resolver
        }
        #expect(await client.send(Fixture.request(0)).isAccepted)
        try await former.stop()
        var result = await client.send(Fixture.request(1))
        while !result.isAccepted { result = await client.send(Fixture.request(1)) }
        #expect(try await next.request().value("apns-id")?.hasSuffix("01") == true)
    }

    @Test("A name without an address fails at once, and is named")
    func noAddress() async throws {
        let server = try await ScriptedHTTP2Server.start()
        let client = try Fixture.client(server) {
            $0.productionURL = "https://nowhere.invalid"
            $0.resolver = FailingResolver()
        }
        #expect(await client.send(Fixture.request()).failure.contains("nowhere.invalid"))
    }
}
