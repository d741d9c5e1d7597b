import Glibc
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import ServiceRuntime

@Suite("Peers that vanish", .timeLimit(.minutes(10)))
struct DeadPeerDetectionTests {
    @Test("The kernel probes a quiet peer, and ends a connection whose peer acknowledges nothing")
    func options() async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        let service = makeService(tokens: try await TestTokens(), configuration: configuration) { router in
            router.get("/here") { _, _ in "here" }
        }
        let group = ServiceGroup(services: [service], logger: LogRecorder().logger())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await service.listeningPort.first { _ in true })
            let client = TestClient(
                host: "127.0.0.1", port: port, configuration: .init(timeout: .seconds(50)),
                eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton))
            client.connect()
            _ = try await client.get("/here")
            let accepted = try #require((0..<4_096).first { isAccepted($0, at: port) })
            #expect(option(accepted, SOL_SOCKET, SO_KEEPALIVE) == 1)
            #expect(option(accepted, CInt(IPPROTO_TCP), TCP_KEEPIDLE) == 4)
            #expect(option(accepted, CInt(IPPROTO_TCP), TCP_KEEPINTVL) == 3)
            #expect(option(accepted, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT) == 11_000)
            // Unacknowledged data delays the probes. Data written just before they would have ended the connection
            // restarts the wait.
            let noticedWithin =
                DeadPeerDetection.idleSeconds + DeadPeerDetection.probeSeconds
                + DeadPeerDetection.unacknowledgedMillisecondsMax / 1_000
            #expect(noticedWithin < 20, "what docs/delivery.md promises")
            try await client.shutdown()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    @Test("The loss of two probes in a row ends no connection")
    func lostProbes() {
        // The kernel ends a connection at the first probe that is due once the time-out has passed.
        let probes = stride(
            from: DeadPeerDetection.idleSeconds * 1_000, to: DeadPeerDetection.unacknowledgedMillisecondsMax,
            by: DeadPeerDetection.probeSeconds * 1_000)
        #expect(Array(probes).count >= 3)
    }

    /// Whether a descriptor of this process is the server's end of a connection to the port.
    private func isAccepted(_ descriptor: CInt, at port: Int) -> Bool {
        self.port(of: descriptor, by: getsockname) == port && self.port(of: descriptor, by: getpeername) != nil
    }

    private func port(
        of descriptor: CInt, by name: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private func option(_ descriptor: CInt, _ level: CInt, _ name: CInt) -> CInt {
        var value: CInt = -1
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, level, name, &value, &length)
        return value
    }
}
