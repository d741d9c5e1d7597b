internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// A body that did not arrive whole within its time.
struct BodyTimedOut: Error {}

/// Enforces one connection's limits: the port's connection count, the time-out of a body, and the close after an early
/// answer.
///
/// A caller that waits before it sends a body receives `100 Continue` once the body is read. A request answered before
/// its body has arrived is the connection's last: the response has `Connection: close`, and later bytes are discarded
/// for a second, so that a reset does not destroy the response (RFC 9112 section 9.6).
///
/// A stream ends when its caller closes its end of the connection, since such a caller reads no further.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The time for which a connection stays half open after its last response.
    static let lingering = TimeAmount.seconds(1)

    private let connections: Connections
    private let bodyTimeout: TimeAmount
    private var bodyDeadline: Scheduled<Void>?
    /// Requests whose response has not ended; more than one where a caller pipelines.
    private var requests = 0
    private var isRequestArriving = false
    /// Whether the caller waits for `100 Continue` before it sends the present request's body.
    private var isContinueAwaited = false
    /// Whether the response that is being written is the last.
    private var isLast = false
    private var isLingering = false
    /// The signal of the streaming answer; nil without one.
    private var stream: StreamSignal?
    private var isInputClosed = false

    init(connections: Connections, bodyTimeout: TimeAmount) {
        self.connections = connections
        self.bodyTimeout = bodyTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // A connection keeps the buffer of what it has read last, and most requests need less than 1 KiB.
        let buffers = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 1_024, maximum: 65_536)
        // A channel that is closed already reads nothing.
        try? context.channel.syncOptions?.setOption(.recvAllocator, value: buffers)
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        if !connections.open(context.channel) { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        bodyDeadline?.cancel()
        endInput()
        connections.close(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLingering else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            requests += 1
            isContinueAwaited = head.expectsContinue
            isRequestArriving = true
            connections.begin(context.channel)
            let loopBound = context.loopBound
            bodyDeadline = context.eventLoop.scheduleTask(in: bodyTimeout) {
                loopBound.value.fireErrorCaught(BodyTimedOut())
            }
        case .body: isContinueAwaited = false
        case .end:
            isContinueAwaited = false
            isRequestArriving = false
            bodyDeadline?.cancel()
            bodyDeadline = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isRequestArriving && head.status.kind != .informational:
            isLast = true
            bodyDeadline?.cancel()
            bodyDeadline = nil
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isLast:
            context.writeAndFlush(data, promise: promise)
            linger(context)
        case .end:
            stream = nil
            requests -= 1
            if requests == 0 { connections.end(context.channel) }
            context.write(data, promise: promise)
        case .head, .body: context.write(data, promise: promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case is BodyIsRead:
            if isContinueAwaited, !isLast {
                isContinueAwaited = false
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case let begun as StreamBegins:
            stream = begun.signal
            if isInputClosed { begun.signal.end() }
        default: return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
    }

    private func endInput() {
        isInputClosed = true
        stream?.end()
        stream = nil
    }

    private func linger(_ context: ChannelHandlerContext) {
        isLingering = true
        context.close(mode: .output, promise: nil)
        let loopBound = context.loopBound
        context.eventLoop.scheduleTask(in: Self.lingering) { loopBound.value.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            endInput()
            if isLingering { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}
