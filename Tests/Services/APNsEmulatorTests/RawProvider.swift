import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A provider of the tests: one connection on which frames are sent and received as they are.
struct RawProvider: Sendable {
    let channel: any Channel
    let frames: AsyncStream<HTTP2Frame>

    /// - Parameters:
    ///   - protocols: what it offers by ALPN.
    ///   - validates: false for one that also sends what HTTP/2 forbids.
    static func connect(
        port: Int, trusting ca: String, offering protocols: [String] = ["h2"], validates: Bool = true
    ) async throws -> RawProvider {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = protocols
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(ca))
        let tls = try NIOSSLContext(configuration: configuration)
        let (frames, continuation) = AsyncStream.makeStream(of: HTTP2Frame.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(try NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    let validation = validates ? NIOHTTP2Handler.ValidationState.enabled : .disabled
                    try pipeline.addHandler(
                        NIOHTTP2Handler(
                            mode: .client, headerBlockValidation: validation, contentLengthValidation: validation))
                    try pipeline.addHandler(Collector(frames: continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawProvider(channel: channel, frames: frames)
    }

    /// Sends a whole request.
    func send(_ headers: HPACKHeaders, _ body: [UInt8], on stream: Int) async throws {
        let id = HTTP2StreamID(stream)
        channel.write(HTTP2Frame(streamID: id, payload: .headers(.init(headers: headers))), promise: nil)
        try await channel.writeAndFlush(
            HTTP2Frame(
                streamID: id,
                payload: .data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))))
    }

    /// Sends a part of a body.
    func send(body: [UInt8], on stream: Int, ends: Bool) async throws {
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: ends)
        try await channel.writeAndFlush(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: .data(data)))
    }

    /// Waits until the service has read all that was sent; what comes meanwhile is passed over.
    func ping() async throws {
        try await channel.writeAndFlush(
            HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(withInteger: 1), ack: false)))
        _ = await first { if case .ping(_, ack: true) = $0.payload { true } else { nil } }
    }

    /// Writes bytes that its own HTTP/2 would not.
    func raw(_ bytes: [UInt8]) async throws {
        try await channel.eventLoop.flatSubmit { [channel] in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
                    .writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            }
        }.get()
    }

    struct Response: Sendable {
        var headers = HPACKHeaders()
        var body = ""
        var status: String? { headers.first(name: ":status") }
    }

    /// Waits for the answer on a stream; nil where it is reset or the connection ends before.
    func response(on stream: Int) async -> Response? {
        var response = Response()
        for await frame in frames where frame.streamID == HTTP2StreamID(stream) {
            switch frame.payload {
            case .headers(let headers):
                response.headers = headers.headers
                if headers.endStream { return response }
            case .data(let data):
                if case .byteBuffer(let buffer) = data.data { response.body += String(buffer: buffer) }
                if data.endStream { return response }
            case .rstStream: return nil
            default: break
            }
        }
        return nil
    }

    /// Waits for the first frame that is wanted; nil where the connection ends before.
    func first<Wanted>(_ wanted: (HTTP2Frame) -> Wanted?) async -> Wanted? {
        for await frame in frames { if let found = wanted(frame) { return found } }
        return nil
    }

    /// Waits for a change of the number of streams that the peer allows.
    func streamLimit() async -> Int? {
        await first { frame in
            guard case .settings(.settings(let settings)) = frame.payload else { return nil }
            return settings.first { $0.parameter == .maxConcurrentStreams }?.value
        }
    }

    func close() async { try? await channel.close() }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let frames: AsyncStream<HTTP2Frame>.Continuation

    init(frames: AsyncStream<HTTP2Frame>.Continuation) { self.frames = frames }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { frames.yield(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) { frames.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        frames.finish()
        context.close(promise: nil)
    }
}
