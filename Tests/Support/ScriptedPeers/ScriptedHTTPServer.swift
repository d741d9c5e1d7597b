import NIOCore
package import NIOHTTP1
import Synchronization

/// A server of HTTP/1.1 on loopback that answers as a test asks it to.
package final class ScriptedHTTPServer: Sendable {
    /// One request with all of its body.
    package struct Request: Sendable {
        package let head: HTTPRequestHead
        package let body: [UInt8]
        fileprivate let channel: any Channel

        package func value(_ name: String) -> String? { head.headers.first(name: name) }

        /// Overrides the server's own reaction.
        package func react(_ reaction: Reaction) {
            let channel = channel
            channel.eventLoop.execute { Handler.react(reaction, channel) }
        }
    }

    package enum Reaction: Sendable {
        case answer(Int, headers: HTTPHeaders = [:], body: String = "")
        /// A status, and a body that begins and does not end.
        case answerWithoutEnd(Int)
        /// Bytes that need not be HTTP.
        case raw(String)
        case hold
        case close
    }

    package let origin: String
    package let port: Int
    private let listener: any Channel
    private let state: State
    private let incoming: AsyncStream<Request>

    private final class State: Sendable {
        let reaction: @Sendable (Request) -> Reaction
        let sink: AsyncStream<Request>.Continuation
        let connections = Mutex(0)
        let requests = Mutex(0)

        init(reaction: @escaping @Sendable (Request) -> Reaction, sink: AsyncStream<Request>.Continuation) {
            self.reaction = reaction
            self.sink = sink
        }
    }

    package static func start(
        reaction: @escaping @Sendable (Request) -> Reaction = { _ in .hold }
    ) async throws -> ScriptedHTTPServer {
        let (incoming, sink) = AsyncStream.makeStream(of: Request.self)
        let state = State(reaction: reaction, sink: sink)
        let listener = try await listen { connection in
            state.connections.withLock { $0 += 1 }
            try connection.configureHTTPServerPipeline()
            try connection.addHandler(Handler(state))
        }
        return ScriptedHTTPServer(listener: listener, state: state, incoming: incoming)
    }

    private init(listener: any Channel, state: State, incoming: AsyncStream<Request>) {
        self.listener = listener
        self.state = state
        self.incoming = incoming
        port = listener.localAddress?.port ?? 0
        origin = "http://localhost:\(port)"
    }

    /// The number of received requests, answered or not.
    package var requestCount: Int { state.requests.withLock { $0 } }
    package var connectionCount: Int { state.connections.withLock { $0 } }

    /// The next request.
    package func request() async throws -> Request {
        for await request in incoming { return request }
        throw CancellationError()
    }

    /// Closes the listener; present connections stay open.
    package func stop() async throws { try await listener.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart

        private let state: State
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ state: State) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body.append(contentsOf: part.readableBytesView)
            case .end:
                guard let head else { return }
                let request = Request(head: head, body: body, channel: context.channel)
                state.requests.withLock { $0 += 1 }
                Self.react(state.reaction(request), context.channel)
                state.sink.yield(request)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        static func react(_ reaction: Reaction, _ channel: any Channel) {
            func write(_ part: HTTPServerResponsePart) { channel.pipeline.syncOperations.write(part) }
            func head(_ status: Int, _ headers: HTTPHeaders) {
                write(.head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)))
            }
            switch reaction {
            case .answer(let status, var headers, let body):
                headers.add(name: "content-length", value: "\(body.utf8.count)")
                head(status, headers)
                if !body.isEmpty { write(.body(.byteBuffer(ByteBuffer(string: body)))) }
                write(.end(nil))
            case .answerWithoutEnd(let status):
                head(status, ["content-length": "1000"])
                write(.body(.byteBuffer(ByteBuffer(string: "begun"))))
            case .raw(let text):
                let encoder = try? channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
                encoder?.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
            case .hold: break
            case .close: channel.close(promise: nil)
            }
            channel.flush()
        }
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// On the event loop of the channel.
    fileprivate func write(_ part: HTTPServerResponsePart) { write(NIOAny(part), promise: nil) }
}
