import FlowControl
import LiveActivity
import Logging
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import ServiceLifecycle
import WriteCoalescing

/// The two ports of Apple's service, production and sandbox: HTTP/2 over TLS, and nothing else.
final class ProviderServer: Service, CustomStringConvertible {
    /// Connections that are open at once; more are closed unanswered.
    static let connectionsMax = 1000
    /// The longest wait for open requests at the end.
    private static let drainTime = Duration.seconds(5)
    private static let threadsCount = 2

    struct Ports: Hashable, Sendable {
        let production: Int
        let sandbox: Int
    }

    private let service: PushService
    private let tls: NIOSSLContext
    private let address: (host: String, production: Int, sandbox: Int)
    private let logger: Logger
    /// The listening ports, once they listen; for one reader.
    let listening: AsyncStream<Ports>
    private let listens: AsyncStream<Ports>.Continuation

    /// - Parameter certificate: the chain in PEM, the server's own first; `key` is its private key in PEM.
    init(
        service: PushService, certificate: [UInt8], key: [UInt8], host: String, port: Int, sandboxPort: Int,
        logger: Logger
    ) throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
        tls.applicationProtocols = ["h2"]
        tls.minimumTLSVersion = .tlsv12
        self.tls = try NIOSSLContext(configuration: tls)
        self.service = service
        self.logger = logger
        address = (host, port, sandboxPort)
        (listening, listens) = AsyncStream.makeStream(of: Ports.self, bufferingPolicy: .bufferingNewest(1))
    }

    var description: String { "apns-emulator provider ports" }

    /// Serves until the process is asked to stop: then every connection gets GOAWAY and may finish what it has begun.
    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threadsCount)
        let production = try await bind(.production, port: address.production, on: group)
        let sandbox = try await bind(.sandbox, port: address.sandbox, on: group)
        let ports = Ports(
            production: production.localAddress?.port ?? 0, sandbox: sandbox.localAddress?.port ?? 0)
        logger.info(
            "the emulator listens for providers",
            metadata: ["production_port": "\(ports.production)", "sandbox_port": "\(ports.sandbox)"])
        listens.yield(ports)
        listens.finish()
        // Cancellation ends the wait too.
        try? await gracefulShutdown()
        // A channel that cannot be closed is closed already.
        for channel in [production, sandbox] { try? await channel.close() }
        service.drain()
        // Shutdown goes on where the task is cancelled.
        _ = try? await withTimeLimit(Self.drainTime) { [service] in for await _ in service.drained {} }
        service.closeConnections()
        try await group.shutdownGracefully()
    }

    private func bind(
        _ environment: APNsEnvironment, port: Int, on group: MultiThreadedEventLoopGroup
    ) async throws -> any Channel {
        let (service, tls) = (service, tls)
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard service.connectionsCount < Self.connectionsMax else {
                        channel.close(promise: nil)
                        return
                    }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                    try pipeline.addHandler(WriteCoalescer())
                    try pipeline.addHandler(Self.http2(service.limits))
                    try pipeline.addHandler(ProviderConnection(service: service, environment: environment))
                }
            }
            .bind(host: address.host, port: port).get()
    }

    private static func http2(_ limits: PushService.StreamLimits) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.beforeAuthentication),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 8000),
            // A body in frames of one byte, each with all the padding there is.
            HTTP2Setting(parameter: .initialWindowSize, value: 257 * (PushService.bodyBytesMax + 1)),
        ]
        connection.maximumSequentialEmptyDataFrames = 16
        connection.controlFrameRateLimit.maximumCount = 10_000
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.streamResetFrameRateLimit.maximumCount = 10_000
        return NIOHTTP2Handler(mode: .server, connectionConfiguration: connection, streamConfiguration: stream)
    }
}
