import NIOCore
import NIOPosix
import Synchronization

/// Forwards the connections of a port of its own to another port, and breaks them where it is asked to.
final class Proxy: Sendable {
    enum Mode: Sendable {
        case forward
        /// New connections are reset.
        case refuse
        /// Nothing is forwarded, and nothing is lost.
        case stall
        /// A connection is reset in place of its next answer.
        case cutAnswers
        /// A connection is reset after half of its next answer.
        case halveAnswers
    }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private struct State {
        var mode = Mode.forward
        var connections: [Int: any Channel] = [:]
        var count = 0
    }

    let port: Int
    private let server: any Channel
    private let upstreamPort: Int
    private let state: Box

    /// The state behind a reference, since the task that accepts must not keep the proxy alive.
    private final class Box: Sendable {
        let locked = Mutex(State())

        var mode: Mode { locked.withLock { $0.mode } }
    }

    /// Listens on a free port of the loopback address until it is closed.
    static func start(to upstreamPort: Int) async throws -> Proxy {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
            }
        guard let port = server.channel.localAddress?.port else { preconditionFailure("it is bound to a port") }
        let proxy = Proxy(port: port, server: server.channel, upstreamPort: upstreamPort)
        let state = proxy.state
        // Ends when the listening channel is closed.
        Task {
            try? await server.executeThenClose { clients in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await client in clients {
                        group.addTask { try? await Self.relay(client, to: upstreamPort, state) }
                    }
                }
            }
        }
        return proxy
    }

    private init(port: Int, server: any Channel, upstreamPort: Int) {
        self.port = port
        self.server = server
        self.upstreamPort = upstreamPort
        state = Box()
    }

    func set(_ mode: Mode) { state.locked.withLock { $0.mode = mode } }

    /// Resets every connection that is open.
    func resetConnections() async {
        for channel in state.locked.withLock({ Array($0.connections.values) }) { await Self.reset(channel) }
    }

    func close() async {
        set(.refuse)
        try? await server.close()
        await resetConnections()
    }

    // MARK: One connection

    private static func relay(_ client: Connection, to port: Int, _ state: Box) async throws {
        try await client.executeThenClose { fromClient, toClient in
            guard state.mode != .refuse else { return await reset(client.channel) }
            let upstream: Connection
            do {
                upstream = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port) { channel in
                        channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
                    }
            } catch {
                // What a client of a port without a listener gets, as nearly as an accepted connection can.
                return await reset(client.channel)
            }
            let number = state.locked.withLock { state in
                state.count += 1
                state.connections[state.count] = client.channel
                return state.count
            }
            defer { state.locked.withLock { $0.connections[number] = nil } }
            try await upstream.executeThenClose { fromServer, toServer in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await forward(fromClient, to: toServer, state) }
                    group.addTask { try? await answer(fromServer, to: toClient, on: client.channel, state) }
                    // Whichever side ends first ends the connection.
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    private static func forward(
        _ requests: NIOAsyncChannelInboundStream<ByteBuffer>, to server: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ state: Box
    ) async throws {
        for try await bytes in requests {
            try await passStall(state)
            try await server.write(bytes)
        }
    }

    private static func answer(
        _ answers: NIOAsyncChannelInboundStream<ByteBuffer>, to client: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        on channel: any Channel, _ state: Box
    ) async throws {
        for try await bytes in answers {
            try await passStall(state)
            switch state.mode {
            case .forward, .refuse, .stall: try await client.write(bytes)
            case .cutAnswers: return await reset(channel)
            case .halveAnswers:
                var bytes = bytes
                if let half = bytes.readSlice(length: bytes.readableBytes / 2) { try await client.write(half) }
                return await reset(channel)
            }
        }
    }

    private static func passStall(_ state: Box) async throws {
        while state.mode == .stall { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Closes a connection so that its peer gets a reset rather than an end.
    private static func reset(_ channel: any Channel) async {
        if let socket = channel as? any SocketOptionProvider {
            try? await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
    }
}
