import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A receiver of webhooks on this machine, which answers as a test says.
final class Receiver: Sendable {
    struct Received: Sendable {
        let path: String
        let headers: [String: String]
        let body: String
    }

    private struct State {
        var port = 0
        var received: [Received] = []
    }

    private let state = Mutex(State())

    var port: Int { state.withLock { $0.port } }
    var received: [Received] { state.withLock { $0.received } }

    /// Runs a receiver while the operation lasts.
    static func run(
        answer: @escaping @Sendable (Received) async throws -> Response,
        _ operation: @escaping @Sendable (Receiver) async throws -> Void
    ) async throws {
        let receiver = Receiver()
        let router = Router()
        router.post("**") { request, _ in
            let body = try await request.body.collect(upTo: 100_000)
            let one = Received(
                path: request.uri.path,
                headers: Dictionary(
                    request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first }),
                body: String(buffer: body))
            receiver.state.withLock { $0.received.append(one) }
            return try await answer(one)
        }
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "receiver")
        logger.logLevel = .critical
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next() ?? 0
            receiver.state.withLock { $0.port = port }
            try await operation(receiver)
            group.cancelAll()
        }
    }

    /// A port whose connections are closed as soon as something is sent.
    static func closing(_ operation: (Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ClosingHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await operation(channel.localAddress?.port ?? 0)
        try await channel.close()
    }

    private final class ClosingHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
    }
}
