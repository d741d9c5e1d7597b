import NIOCore
import NIOHTTP1
import NIOPosix

/// Receivers of webhooks on this machine, which answer each with 204, and two that do not.
///
/// Each has an address of its own, as shops' systems have: connections to one address are limited.
struct WebhookReceivers: Sendable {
    let arrivals: WebhookArrivals
    /// The URLs of the answering receivers.
    let urls: [String]
    /// A URL whose host refuses connections.
    let refusingURL: String
    /// A URL whose host accepts connections and never answers.
    let silentURL: String

    /// Starts the receivers for the life of this process.
    ///
    /// - Parameter count: the number of answering ones.
    static func start(_ count: Int) async throws -> WebhookReceivers {
        let arrivals = WebhookArrivals(receivers: count)
        var urls: [String] = []
        for receiver in 0..<count {
            urls.append(try await listen(at: receiver) { _ in arrivals.add(to: receiver, at: now()) })
        }
        let silentURL = try await listenInSilence(at: count)
        return WebhookReceivers(
            arrivals: arrivals, urls: urls, refusingURL: try refusing(at: count + 1), silentURL: silentURL)
    }

    /// Starts a receiver that answers with 204.
    ///
    /// - Parameters:
    ///   - place: of its address among this machine's.
    ///   - delay: from the end of a request to its answer.
    ///   - received: called with each body.
    /// - Returns: the URL that webhooks are to be sent to.
    static func listen(
        at place: Int, answeringAfter delay: TimeAmount = .zero, received: @escaping @Sendable (ByteBuffer) -> Void
    ) async throws -> String {
        let answering = bootstrap.childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                try channel.pipeline.syncOperations.addHandler(AnsweringHandler(delay: delay, received: received))
            }
        }
        return try await bind(answering, at: place)
    }

    /// Starts a receiver that accepts connections and never answers, and returns its URL.
    static func listenInSilence(at place: Int) async throws -> String { try await bind(bootstrap, at: place) }

    /// A URL without a listener.
    static func refusing(at place: Int) throws -> String { "http://\(host(at: place)):\(try Socket.freePort())/hook" }

    private static var bootstrap: ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    private static func bind(_ bootstrap: ServerBootstrap, at place: Int) async throws -> String {
        let host = host(at: place)
        let listener = try await bootstrap.bind(host: host, port: 0).get()
        guard let port = listener.localAddress?.port else { throw BenchFailure("\(host) has no port") }
        return "http://\(host):\(port)/hook"
    }

    private static func host(at place: Int) -> String { "127.0.\(place / 250).\(place % 250 + 1)" }
}

/// Forwards each complete webhook, and answers that it was accepted.
private final class AnsweringHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let delay: TimeAmount
    private let received: @Sendable (ByteBuffer) -> Void
    private let head = HTTPResponseHead(version: .http1_1, status: .noContent)
    private var body = ByteBuffer()

    init(delay: TimeAmount, received: @escaping @Sendable (ByteBuffer) -> Void) {
        self.delay = delay
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: body.clear()
        case .body(var part): body.writeBuffer(&part)
        case .end:
            received(body)
            guard delay > .zero else { return answer(context) }
            context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.answer(context) }
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
