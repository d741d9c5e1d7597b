import NIOCore
package import NIOHPACK
package import NIOHTTP2
package import NIOSSL
import NIOTLS
import Synchronization

/// An HTTP/2 server over TLS on loopback that answers as a test scripts it, and reports every event of its connections.
///
/// It works on frames, so that it can also violate the protocol.
package final class ScriptedHTTP2Server: Sendable {
    /// One request with all of its body.
    package struct Request: Sendable {
        /// 0 for the first connection.
        package let connection: Int
        package let stream: HTTP2StreamID
        package let headers: HPACKHeaders
        package let body: [UInt8]

        package func value(_ name: String) -> String? { headers.first(name: name) }
    }

    package enum Event: Sendable {
        case connected(Int)
        case request(Request)
        case reset(connection: Int, HTTP2StreamID)
        case ping(connection: Int)
        case settingsAcknowledged(connection: Int)
        case closed(Int)
    }

    /// The server's automatic reaction to a request.
    package enum Reaction: Sendable {
        case hold
        case answer(Int, headers: [(String, String)] = [], body: String = "")
    }

    package let port: Int
    package let certificate: TestCertificate
    private let listener: any Channel
    private let state: State
    private let events: AsyncStream<Event>

    fileprivate final class State: Sendable {
        let reaction: @Sendable (Request) -> Reaction
        let settings: HTTP2Settings
        let greeting: String?
        let waitsForBodies: Bool
        let sink: AsyncStream<Event>.Continuation
        let channels = Mutex<[any Channel]>([])
        /// The most streams that were open at once, on any connection.
        let openMax = Mutex(0)

        init(
            reaction: @escaping @Sendable (Request) -> Reaction, settings: HTTP2Settings, greeting: String?,
            waitsForBodies: Bool, sink: AsyncStream<Event>.Continuation
        ) {
            self.reaction = reaction
            self.settings = settings
            self.greeting = greeting
            self.waitsForBodies = waitsForBodies
            self.sink = sink
        }
    }

    /// - Parameters:
    ///   - streamsMax: the stream limit in its settings; nil omits the limit.
    ///   - bodyWindow: the most bytes of a body that it accepts; nil for unlimited bodies.
    ///   - waitsForBodies: false for a server that answers after a request's headers.
    ///   - protocols: the ALPN offer; without `h2` it only greets.
    ///   - greeting: a line that it sends right after the TLS handshake, as an SMTP server does.
    ///   - tlsMax: the newest TLS version offered; nil for all versions.
    ///   - isSilent: it reads and never writes, from the TLS handshake on.
    package static func start(
        streamsMax: Int? = 100, bodyWindow: Int? = nil, waitsForBodies: Bool = true, protocols: [String] = ["h2"],
        greeting: String? = nil, tlsMax: TLSVersion? = nil, isSilent: Bool = false, host: String = "127.0.0.1",
        port: Int = 0, certificate: TestCertificate? = nil,
        reaction: @escaping @Sendable (Request) -> Reaction = { _ in .hold }
    ) async throws -> ScriptedHTTP2Server {
        let certificate = try certificate ?? TestCertificate()
        let context = try certificate.serverContext(protocols: protocols, tlsMax: tlsMax)
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let settings =
            [
                streamsMax.map { HTTP2Setting(parameter: .maxConcurrentStreams, value: $0) },
                bodyWindow.map { HTTP2Setting(parameter: .initialWindowSize, value: $0) },
            ].compactMap(\.self)
        let state = State(
            reaction: reaction, settings: settings, greeting: greeting, waitsForBodies: waitsForBodies, sink: sink)
        let listener = try await listen(host: host, port: port) { connection in
            if isSilent { return }
            try connection.addHandlers([NIOSSLServerHandler(context: context), ServerConnection(state)])
        }
        return ScriptedHTTP2Server(certificate: certificate, listener: listener, state: state, events: events)
    }

    private init(certificate: TestCertificate, listener: any Channel, state: State, events: AsyncStream<Event>) {
        self.certificate = certificate
        self.listener = listener
        self.state = state
        self.events = events
        port = listener.localAddress?.port ?? 0
    }

    package var url: String { "https://127.0.0.1:\(port)" }
    package var openMax: Int { state.openMax.withLock { $0 } }

    /// The next event that `pick` accepts; earlier ones are skipped.
    package func next<Value: Sendable>(_ pick: (Event) -> Value?) async throws -> Value {
        for await event in events { if let value = pick(event) { return value } }
        throw CancellationError()
    }

    package func request() async throws -> Request {
        try await next { if case .request(let request) = $0 { request } else { nil } }
    }

    package func requests(_ count: Int) async throws -> [Request] {
        var all: [Request] = []
        while all.count < count { all.append(try await request()) }
        return all
    }

    // MARK: A test's script

    package func answer(
        _ request: Request, _ status: Int, headers: [(String, String)] = [], body: String = "", ends: Bool = true
    ) {
        let head = HPACKHeaders([(":status", "\(status)")] + headers)
        send(.headers(.init(headers: head, endStream: body.isEmpty && ends)), on: request)
        if !body.isEmpty { data(body, on: request, ends: ends) }
    }

    package func data(_ text: String, on request: Request, ends: Bool) {
        send(.data(.init(data: .byteBuffer(ByteBuffer(string: text)), endStream: ends)), on: request)
    }

    package func headers(_ headers: HPACKHeaders, on request: Request, ends: Bool) {
        send(.headers(.init(headers: headers, endStream: ends)), on: request)
    }

    package func reset(_ request: Request, _ code: HTTP2ErrorCode) { send(.rstStream(code), on: request) }

    package func goAway(_ connection: Int, last: HTTP2StreamID, reason: String?) {
        goAway(connection, last: last, debug: reason.map { #"{"reason":"\#($0)"}"# })
    }

    package func goAway(_ connection: Int, last: HTTP2StreamID, debug: String?) {
        let data = debug.map { ByteBuffer(string: $0) }
        send(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: data), .rootStream, connection)
    }

    package func settings(_ connection: Int, streamsMax: Int) {
        send(
            .settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: streamsMax)])), .rootStream,
            connection)
    }

    /// Writes bytes that need not be frames.
    package func raw(_ bytes: [UInt8], connection: Int) {
        let channel = channel(connection)
        channel.eventLoop.execute {
            guard let http2 = try? channel.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self) else {
                return
            }
            http2.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }

    /// Stops reading on a connection, which then answers no PING.
    package func stopReading(_ connection: Int) async throws {
        try await channel(connection).setOption(.autoRead, value: false).get()
    }

    package func close(_ connection: Int) { channel(connection).close(promise: nil) }

    /// Closes the listener and every connection: the server answers nothing after this call.
    package func stop() async throws {
        try await listener.close()
        // Closing a closed connection throws.
        for channel in state.channels.withLock({ $0 }) { try? await channel.close() }
    }

    private func send(_ payload: HTTP2Frame.FramePayload, on request: Request) {
        send(payload, request.stream, request.connection)
    }

    private func send(_ payload: HTTP2Frame.FramePayload, _ stream: HTTP2StreamID, _ connection: Int) {
        channel(connection).writeAndFlush(HTTP2Frame(streamID: stream, payload: payload), promise: nil)
    }

    private func channel(_ connection: Int) -> any Channel { state.channels.withLock { $0[connection] } }
}

private final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let state: ScriptedHTTP2Server.State
    private var number = 0
    private var open: [HTTP2StreamID: (headers: HPACKHeaders, body: [UInt8])] = [:]
    private var openCount = 0

    init(_ state: ScriptedHTTP2Server.State) { self.state = state }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            let channel = context.channel
            number = state.channels.withLock { channels in
                channels.append(channel)
                return channels.count - 1
            }
            state.sink.yield(.connected(number))
            guard negotiated == "h2" else {
                if let greeting = state.greeting {
                    context.writeAndFlush(NIOAny(ByteBuffer(string: greeting + "\r\n")), promise: nil)
                }
                return
            }
            let http2 = NIOHTTP2Handler(
                mode: .server, initialSettings: state.settings, headerBlockValidation: .disabled,
                contentLengthValidation: .disabled)
            try? context.pipeline.syncOperations.addHandler(http2, position: .before(self))
        case let created as NIOHTTP2StreamCreatedEvent where created.streamID != .rootStream:
            openCount += 1
            let count = openCount
            state.openMax.withLock { $0 = max($0, count) }
        case is StreamClosedEvent: openCount -= 1
        default: break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let payload):
            open[frame.streamID] = (payload.headers, [])
            if payload.endStream || !state.waitsForBodies { finish(frame.streamID, context) }
        case .data(let payload):
            guard case .byteBuffer(let bytes) = payload.data else { return }
            open[frame.streamID]?.body.append(contentsOf: bytes.readableBytesView)
            if payload.endStream { finish(frame.streamID, context) }
        case .rstStream: state.sink.yield(.reset(connection: number, frame.streamID))
        case .ping(_, ack: false): state.sink.yield(.ping(connection: number))
        case .settings(.ack): state.sink.yield(.settingsAcknowledged(connection: number))
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func channelInactive(context: ChannelHandlerContext) { state.sink.yield(.closed(number)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func finish(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let (headers, body) = open.removeValue(forKey: stream) else { return }
        let request = ScriptedHTTP2Server.Request(connection: number, stream: stream, headers: headers, body: body)
        state.sink.yield(.request(request))
        guard case .answer(let status, let extra, let text) = state.reaction(request) else { return }
        let head = HPACKHeaders([(":status", "\(status)")] + extra)
        context.write(
            wrapOutboundOut(
                HTTP2Frame(streamID: stream, payload: .headers(.init(headers: head, endStream: text.isEmpty)))),
            promise: nil)
        if !text.isEmpty {
            let body = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: text)), endStream: true)
            context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: .data(body))), promise: nil)
        }
        context.flush()
    }
}
