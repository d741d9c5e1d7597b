import NIOCore
import NIOHTTP1
import NIOPosix

/// Receivers of webhooks on this machine, which answer each with 204, and two that do not.
///
/// Each has an address of its own, as shops' systems have: connections to one address are limited.
struct WebhookReceivers: Sendable {
    let arrivals: WebhookArrivals
    /// Of those that answer.
    let urls: [String]
    /// Where nobody listens.
    let refusingURL: String
    /// Where connections are accepted, and nothing is answered.
    let silentURL: String

    /// Starts them for as long as this process runs.
    ///
    /// - Parameter count: of those that answer, at most 250.
    static func start(_ count: Int) async throws -> WebhookReceivers {
        let arrivals = WebhookArrivals(receivers: count)
        var urls: [String] = []
        for receiver in 0..<count {
            let answering = bootstrap.childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        AnsweringHandler(receiver: receiver, arrivals: arrivals))
                }
            }
            urls.append(try await listen(answering, at: receiver + 1))
        }
        let silentURL = try await listen(bootstrap, at: count + 1)
        let freePort = try Socket.freePort()
        return WebhookReceivers(
            arrivals: arrivals, urls: urls, refusingURL: "http://127.0.0.\(count + 2):\(freePort)/hook",
            silentURL: silentURL)
    }

    private static var bootstrap: ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// - Parameter place: the last number of the address.
    /// - Returns: the URL that webhooks are to be sent to.
    private static func listen(_ bootstrap: ServerBootstrap, at place: Int) async throws -> String {
        let host = "127.0.0.\(place)"
        let listener = try await bootstrap.bind(host: host, port: 0).get()
        guard let port = listener.localAddress?.port else { throw BenchFailure("\(host) has no port") }
        return "http://\(host):\(port)/hook"
    }
}

/// Counts each webhook when it is whole, and answers that it was taken.
private final class AnsweringHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let receiver: Int
    private let arrivals: WebhookArrivals
    private let head = HTTPResponseHead(version: .http1_1, status: .noContent)

    init(receiver: Int, arrivals: WebhookArrivals) {
        self.receiver = receiver
        self.arrivals = arrivals
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        arrivals.add(to: receiver, at: now())
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
