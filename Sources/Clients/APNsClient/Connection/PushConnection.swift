internal import Foundation
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOTLS
internal import WriteCoalescing

/// One HTTP/2 connection to APNs: the last handler of the channel of its TCP connection.
///
/// It handles frames, without a channel per stream: it writes two frames for a request and reads two.
/// It reports events to its pool and decides nothing about other connections.
final class PushConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Bytes that APNs may send ahead on all streams together (RFC 9113, section 6.9.2).
    private static let windowBytes = 65_535
    /// Bytes of that window after which a WINDOW_UPDATE is sent.
    private static let windowUpdateBytes = 16_384

    /// The pool's place for it.
    let slot: Int
    private let pool: ConnectionPool
    private let configuration: APNsConfiguration
    private var allowance: StreamAllowance
    private var headers: RequestHeaders
    private var exchanges: [Int32: Exchange] = [:]
    private var context: ChannelHandlerContext?
    private var failure: String?
    /// A stream whose answer has just ended, until the HTTP/2 handler reports it closed.
    private var answered: Int32?
    /// The rest of the receive window, from which bodies of abandoned streams are subtracted too.
    private var windowLeft = windowBytes
    private var lastRead = NIODeadline.now()
    private var pingTimer: Scheduled<Void>?
    private var answerTimer: Scheduled<Void>?
    private var pings: UInt64 = 0

    init(slot: Int, pool: ConnectionPool, authority: String, configuration: APNsConfiguration) {
        self.slot = slot
        self.pool = pool
        self.configuration = configuration
        allowance = StreamAllowance(ownMax: configuration.streamsPerConnectionMax)
        headers = RequestHeaders(authority: authority)
    }

    /// The number of further requests that it can accept now.
    var room: Int { isClosed ? 0 : allowance.room }
    var inFlight: Int { exchanges.count }
    var isReady: Bool { allowance.isReady }
    /// True when the connection is unusable, even before its channel exists.
    private(set) var isClosed = false
    var isAuthenticated: Bool { allowance.isAuthenticated }

    // MARK: Requests of the pool

    /// Opens a stream for a request; only while there is ``room``, and with a ``flush()`` after the last.
    func start(_ push: PendingPush) {
        guard let context else { return }
        let id = allowance.openStream()
        let stream = HTTP2StreamID(Int(id))
        push.stage = .sent(self, streamID: id)
        exchanges[id] = Exchange(push: push)
        let headers = headers.headers(for: push.request, authorization: push.token.authorization)
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: stream, payload: .headers(.init(headers: headers)))), promise: nil)
        let body = context.channel.allocator.buffer(bytes: push.request.body)
        context.write(
            wrapOutboundOut(
                HTTP2Frame(streamID: stream, payload: .data(.init(data: .byteBuffer(body), endStream: true)))),
            promise: nil)
    }

    func flush() { context?.flush() }

    /// Abandons a stream whose caller no longer waits, or whose answer is complete enough.
    /// - Parameter cause: the caller's result if no answer has begun; else the answer decides the result.
    func abandon(_ id: Int32, cause: APNsUnknownCause) {
        guard let exchange = remove(id) else { return }
        if let context, !isClosed {
            let reset = HTTP2Frame(streamID: HTTP2StreamID(Int(id)), payload: .rstStream(.cancel))
            context.writeAndFlush(wrapOutboundOut(reset), promise: nil)
        }
        settle(exchange, otherwise: .unknown(cause))
        closeIfFinished()
    }

    /// Every request that it has in flight.
    var pushes: [PendingPush] { exchanges.values.map(\.push) }

    /// Opens no further stream, and closes after the last answer.
    func end() {
        allowance.end()
        closeIfFinished()
    }

    /// Closes the connection now: requests in flight are lost, without a wait for TLS close_notify.
    func close(because reason: String) {
        if failure == nil { failure = reason }
        lose()
        context?.close(promise: nil)
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        lose()
        self.context = nil
    }

    /// The connection's channel could not be opened.
    func failToConnect(_ error: any Error) {
        if failure == nil { failure = ConnectionFailure.text(of: error) }
        lose()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let closed as StreamClosedEvent:
            answered = nil
            streamClosed(closed)
        case let window as NIOHTTP2WindowUpdatedEvent:
            if window.streamID == .rootStream, let size = window.inboundWindowSize { windowLeft = size }
        case TLSUserEvent.handshakeCompleted(let negotiated): handshakeCompleted(negotiated, context)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Frames after the close are ignored; without HTTP/2 they would not be frames either.
        if isClosed { return }
        leaveAnswered(context)
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let payload): receive(payload, stream: frame.streamID)
        case .data(let payload): receive(payload, stream: frame.streamID)
        case .settings(.settings(let settings)): receive(settings)
        case .goAway(let last, _, let debug): goAway(last: last, debug: debug)
        case .ping(let data, ack: true): pingAnswered(data)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        lastRead = .now()
        leaveAnswered(context)
        if Self.windowBytes - windowLeft >= Self.windowUpdateBytes {
            let update = HTTP2Frame(
                streamID: .rootStream,
                payload: .windowUpdate(windowSizeIncrement: Self.windowBytes - windowLeft))
            context.write(wrapOutboundOut(update), promise: nil)
        }
        pool.hasRead(self)
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The HTTP/2 handler has reset the stream and reports the reset.
        if ConnectionFailure.isOfStream(error) { return }
        close(because: ConnectionFailure.text(of: error))
    }

    func channelInactive(context: ChannelHandlerContext) { lose() }

    // MARK: Opening

    private func handshakeCompleted(_ negotiated: String?, _ context: ChannelHandlerContext) {
        guard negotiated == "h2" else {
            return close(
                because: """
                    the server does not speak HTTP/2 (ALPN \(negotiated.map { "chose \($0)" } ?? "chose nothing")): \
                    check the address and what is between
                    """)
        }
        do {
            let handler = NIOHTTP2Handler(
                mode: .client, connectionConfiguration: Self.http2, streamConfiguration: Self.http2Streams)
            try context.pipeline.syncOperations.addHandlers([WriteCoalescer(), handler], position: .before(self))
        } catch {
            close(because: ConnectionFailure.text(of: error))
        }
        watch(context)
    }

    private static let http2 = {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        // APNs pushes nothing to us.
        configuration.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HPACKDecoder.defaultMaxHeaderListSize),
        ]
        // Answers to many abandoned requests, as after a silence, are no fault of the connection.
        configuration.maximumRecentlyResetStreams = 4_096
        // Some servers write a body, or its end, in frames without data.
        configuration.maximumSequentialEmptyDataFrames = 16
        return configuration
    }()

    private static let http2Streams = {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        // The client opens all streams: a server that resets many of them costs it nothing.
        configuration.streamResetFrameRateLimit.maximumCount = 100_000
        return configuration
    }()

    private func receive(_ settings: HTTP2Settings) {
        let wasReady = allowance.isReady
        // The last one counts (RFC 9113, section 6.5).
        let concurrent = settings.last { $0.parameter == .maxConcurrentStreams }
        allowance.receive(concurrentMax: concurrent?.value)
        if !wasReady { pool.isReady(self) }
    }

    // MARK: Answers

    private func receive(_ payload: HTTP2Frame.FramePayload.Headers, stream: HTTP2StreamID) {
        let id = Int32(Int(stream))
        guard exchanges[id] != nil else { return }
        guard exchanges[id]?.answer.receive(payload.headers) == true else {
            return abandon(id, cause: .unreadableAnswer("its headers have no status"))
        }
        if payload.endStream { finish(id) }
    }

    private func receive(_ payload: HTTP2Frame.FramePayload.Data, stream: HTTP2StreamID) {
        guard case .byteBuffer(let bytes) = payload.data else { return }
        let id = Int32(Int(stream))
        guard exchanges[id] != nil else { return }
        guard exchanges[id]?.answer.receive(bytes) == true else {
            return abandon(id, cause: .unreadableAnswer("its body is longer than any of APNs'"))
        }
        if payload.endStream { finish(id) }
    }

    private func finish(_ id: Int32) {
        guard let exchange = remove(id) else { return }
        answered = id
        settle(exchange, otherwise: .unknown(.unreadableAnswer("it has no status")))
        closeIfFinished()
    }

    /// Resets a stream that was answered before its request was sent whole: it would stay open on both sides.
    private func leaveAnswered(_ context: ChannelHandlerContext) {
        guard let id = answered else { return }
        answered = nil
        let reset = HTTP2Frame(streamID: HTTP2StreamID(Int(id)), payload: .rstStream(.cancel))
        context.write(wrapOutboundOut(reset), promise: nil)
    }

    private func streamClosed(_ event: StreamClosedEvent) {
        guard let exchange = remove(Int32(Int(event.streamID))) else { return }
        let code = event.reason ?? .noError
        settle(
            exchange,
            otherwise: code == .refusedStream
                ? .notSent(.streamRefused) : .unknown(.streamReset(code: Int(UInt32(http2ErrorCode: code)))))
        closeIfFinished()
    }

    private func remove(_ id: Int32) -> Exchange? {
        guard let exchange = exchanges.removeValue(forKey: id) else { return nil }
        allowance.closeStream()
        return exchange
    }

    /// Resumes the caller with the answer's result, or with `otherwise` where no answer has begun.
    private func settle(_ exchange: Exchange, otherwise: APNsResult) {
        let result = exchange.answer.result(sent: exchange.push.request.id) ?? otherwise
        switch result {
        case .accepted:
            if !allowance.isAuthenticated {
                allowance.authenticate()
                pool.isAuthenticated(self)
            }
        case .refused(let refusal) where refusal.reason.spoilsConnection || refusal.remedy == .reconnect:
            pool.ends(self, reason: "a request was refused: \(refusal.status) \(refusal.reason.name)", isFailure: true)
            allowance.end()
        case .refused, .notSent, .unknown: break
        }
        pool.finish(exchange.push, result)
    }

    // MARK: Ends

    private func goAway(last: HTTP2StreamID, debug: ByteBuffer?) {
        let reason = debug.flatMap(Self.reason)
        allowance.end()
        pool.ends(self, reason: "GOAWAY \(reason ?? "without a reason")", isFailure: false)
        let lastID = Int(last)
        for id in exchanges.keys.filter({ Int($0) > lastID }) {
            guard let exchange = remove(id) else { continue }
            settle(exchange, otherwise: .notSent(.connectionClosing(reason: reason)))
        }
        closeIfFinished()
    }

    private func closeIfFinished() {
        if allowance.isEnding, exchanges.isEmpty, !isClosed {
            close(because: "it had ended")
        }
    }

    private func lose() {
        guard !isClosed else { return }
        isClosed = true
        pingTimer?.cancel()
        answerTimer?.cancel()
        let reason = failure ?? "the server closed it"
        pool.isLost(self, reason: reason)
        for id in Array(exchanges.keys) {
            if let exchange = remove(id) { settle(exchange, otherwise: .unknown(.connectionLost(reason))) }
        }
        pool.hasLostAll(self)
    }

    // MARK: Silence

    /// Checks the connection for silence once per shortest silence limit.
    private func watch(_ context: ChannelHandlerContext) {
        let eventLoop = context.eventLoop.assumeIsolated()
        let interval = TimeAmount(min(configuration.pingAfterSilence, configuration.pingWhenIdle))
        pingTimer = eventLoop.scheduleTask(in: interval) { [weak self] in
            guard let self, let context = self.context, !self.isClosed else { return }
            let patience = exchanges.isEmpty ? configuration.pingWhenIdle : configuration.pingAfterSilence
            if answerTimer == nil, NIODeadline.now() - lastRead >= TimeAmount(patience) { ping(context) }
            watch(context)
        }
    }

    private func ping(_ context: ChannelHandlerContext) {
        pings += 1
        let ping = HTTP2Frame(
            streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: pings), ack: false))
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
        let patience = configuration.pingTimeout
        answerTimer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(patience)) { [weak self] in
            self?.close(because: "no answer to a PING within \(patience)")
        }
    }

    private func pingAnswered(_ data: HTTP2PingData) {
        guard data == HTTP2PingData(withInteger: pings) else { return }
        answerTimer?.cancel()
        answerTimer = nil
    }
}
