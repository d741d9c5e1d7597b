import Foundation
import LiveActivity
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOTLS
import TextCoding

/// One connection of a provider: reads requests from frames and writes answers as frames.
///
/// It works on the frames themselves, without a channel for each stream: that costs a third as much, and lets a script
/// break the protocol where a real service does.
final class ProviderConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// Bytes of bodies that a peer may send ahead on all streams of a connection together.
    private static let windowBytes = 8 * 1024 * 1024

    private struct Stream {
        var request: PushRequest
        let id: String
        var body: [UInt8] = []
        var isTooLarge = false
    }

    private let service: PushService
    private let environment: APNsEnvironment
    private var streams: [HTTP2StreamID: Stream] = [:]
    /// The number of complete requests without an answer.
    private var openAnswers = 0
    /// Streams of these requests that the script never answers.
    private var silent: Set<HTTP2StreamID> = []
    private var authentication = ConnectionAuthentication()
    private var lastStreamID = HTTP2StreamID.rootStream
    private var unacknowledgedBytes = 0
    private var isClosing = false
    private var control: Control?
    private var dateText = (second: 0, text: "")

    init(service: PushService, environment: APNsEnvironment) {
        self.service = service
        self.environment = environment
    }

    /// Operations on a connection from outside its event loop.
    final class Control: Sendable {
        private let loop: any EventLoop
        private let changes: @Sendable () -> Void
        private let away: @Sendable (String) -> Void
        private let end: @Sendable () -> Void

        fileprivate init(_ connection: ProviderConnection, _ context: ChannelHandlerContext) {
            loop = context.eventLoop
            let bound = NIOLoopBound((connection, context), eventLoop: loop)
            changes = { bound.value.0.sendLimits(bound.value.1) }
            away = { reason in
                let (connection, context) = bound.value
                connection.goAway(reason: reason, lastStreamID: connection.lastStreamID, context)
            }
            end = { bound.value.1.close(promise: nil) }
        }

        func changeLimits() { loop.execute(changes) }
        func goAway(reason: String) { loop.execute { [away] in away(reason) } }
        func close() { loop.execute(end) }
    }

    // MARK: - The connection

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { opened(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        opened(context)
        context.fireChannelActive()
    }

    private func opened(_ context: ChannelHandlerContext) {
        guard control == nil else { return }
        let control = Control(self, context)
        self.control = control
        guard service.opened(control) else {
            context.close(promise: nil)
            return
        }
        write(.windowUpdate(windowSizeIncrement: Self.windowBytes), on: .rootStream, context)
        context.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let control { service.closed(control) }
        control = nil
        streams = [:]
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Apple's service speaks HTTP/2 with those only who ask for it.
        if case TLSUserEvent.handshakeCompleted(let negotiated) = event, negotiated != "h2" {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream's error has reset that stream already; any other leaves nothing to talk about.
        if Self.isOfStream(error) { return }
        context.close(promise: nil)
    }

    /// Whether it is the fault of one request, which HTTP/2 forbids; most of these errors do not name their stream.
    private static func isOfStream(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.TrailersWithoutEndStream,
            is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderMalformedValue, is NIOHTTP2Errors.ContentLengthHeaderNegative,
            is NIOHTTP2Errors.ForbiddenHeaderField, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName,
            is NIOHTTP2Errors.InvalidPseudoHeaders, is NIOHTTP2Errors.InvalidPseudoHeaderValue,
            is NIOHTTP2Errors.DuplicatePseudoHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader,
            is NIOHTTP2Errors.EmptyPathHeader:
            true
        default: false
        }
    }

    private func sendLimits(_ context: ChannelHandlerContext) {
        let limits = service.limits
        let streams = authentication.isAuthenticated ? limits.streams : limits.beforeAuthentication
        write(
            .settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: streams)])), on: .rootStream,
            context)
        context.flush()
    }

    private func goAway(reason: String, lastStreamID: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let data = ByteBuffer(string: "{\"reason\":\"\(reason.jsonEscaped)\"}")
        isClosing = true
        write(
            .goAway(lastStreamID: lastStreamID, errorCode: .noError, opaqueData: data), on: .rootStream, context)
        context.flush()
        closeIfDone(context)
    }

    private func closeIfDone(_ context: ChannelHandlerContext) {
        guard isClosing, openAnswers == 0, streams.isEmpty else { return }
        context.close(promise: nil)
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            if streams[frame.streamID] == nil {
                let request = PushRequest(headers.headers)
                lastStreamID = max(lastStreamID, frame.streamID)
                streams[frame.streamID] = Stream(request: request, id: request.id ?? UUID().uuidString)
            }
            if headers.endStream { complete(frame.streamID, context) }
        case .data(let data):
            receive(data, on: frame.streamID, context)
        case .rstStream:
            streams[frame.streamID] = nil
            if silent.remove(frame.streamID) != nil { openAnswers -= 1 }
            closeIfDone(context)
        case .goAway:
            isClosing = true
            closeIfDone(context)
        case .priority, .settings, .ping, .pushPromise, .windowUpdate, .alternativeService, .origin: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    private func receive(
        _ data: HTTP2Frame.FramePayload.Data, on id: HTTP2StreamID, _ context: ChannelHandlerContext
    ) {
        guard case .byteBuffer(let buffer) = data.data else { return }
        unacknowledgedBytes += buffer.readableBytes + (data.paddingBytes.map { $0 + 1 } ?? 0)
        if unacknowledgedBytes > Self.windowBytes / 2 {
            write(.windowUpdate(windowSizeIncrement: unacknowledgedBytes), on: .rootStream, context)
            unacknowledgedBytes = 0
        }
        guard let stream = streams[id] else { return }
        if stream.body.count + buffer.readableBytes > PushService.bodyBytesMax {
            streams[id]?.isTooLarge = true
            // The rest is neither waited for nor kept.
            complete(id, context)
            if !data.endStream {
                // Flushed by itself: a reset drops what of the answer waits to be written.
                context.flush()
                write(.rstStream(.noError), on: id, context)
            }
            return
        }
        streams[id]?.body.append(contentsOf: buffer.readableBytesView)
        if data.endStream { complete(id, context) }
    }

    private func complete(_ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        let wasAuthenticated = authentication.isAuthenticated
        // One byte too many stands for the rest that was not kept.
        let body =
            stream.isTooLarge ? [UInt8](repeating: 0, count: PushService.bodyBytesMax + 1) : stream.body
        let environment =
            stream.request.authority.contains("sandbox") ? APNsEnvironment.sandbox : self.environment
        let answer = service.answer(
            stream.request, id: stream.id, body: body, environment: environment, authentication: &authentication)
        openAnswers += 1
        perform(answer, id, stream.id, environment, context)
        if !wasAuthenticated, authentication.isAuthenticated { sendLimits(context) }
    }

    // MARK: - Answers

    private func perform(
        _ answer: PushService.Answer, _ stream: HTTP2StreamID, _ id: String, _ environment: APNsEnvironment,
        _ context: ChannelHandlerContext
    ) {
        switch answer {
        case .accepted:
            var headers = head(status: 200, id)
            if environment == .sandbox {
                headers.add(name: "apns-unique-id", value: UUID().uuidString, indexing: .nonIndexable)
            }
            write(.headers(.init(headers: headers, endStream: true)), on: stream, context)
        case .refused(let status, let reason, let since, let retryAfter):
            var headers = head(status: status, id)
            if let retryAfter { headers.add(name: "retry-after", value: String(retryAfter), indexing: .nonIndexable) }
            write(.headers(.init(headers: headers)), on: stream, context)
            var text = "{\"reason\":\"\(reason.jsonEscaped)\""
            if let since { text += ",\"timestamp\":\(since * 1000)" }
            write(.data(.init(data: .byteBuffer(ByteBuffer(string: text + "}")), endStream: true)), on: stream, context)
        case .silence:
            // The stream stays open, and the connection with it, until the provider gives up.
            silent.insert(stream)
            return
        case .resetStream: write(.rstStream(.internalError), on: stream, context)
        case .closeConnection:
            context.close(promise: nil)
            return
        case .goAway(let reason, let isProcessed):
            openAnswers -= 1
            let last = isProcessed ? lastStreamID : HTTP2StreamID(max(0, Int(stream) - 2))
            goAway(reason: reason, lastStreamID: last, context)
            return
        case .after(let milliseconds, let later):
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds))) {
                let (connection, context) = bound.value
                connection.perform(later, stream, id, environment, context)
                context.flush()
            }
            return
        }
        openAnswers -= 1
        closeIfDone(context)
    }

    private func head(status: Int, _ id: String) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(4)
        headers.add(name: ":status", value: status == 200 ? "200" : String(status))
        headers.add(name: "apns-id", value: id, indexing: .nonIndexable)
        headers.add(name: "date", value: date())
        return headers
    }

    /// The service's time as HTTP has it; made once a second.
    private func date() -> String {
        let now = service.clock.serviceTime
        if dateText.second != now {
            dateText = (now, HTTPDate.format(Date(timeIntervalSince1970: TimeInterval(now))))
        }
        return dateText.text
    }

    private func write(
        _ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext
    ) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}

extension String {
    /// The text inside a JSON string.
    fileprivate var jsonEscaped: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return self
        }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20: text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
