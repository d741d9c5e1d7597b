import NIOCore
import NIOEmbedded
import Testing
import WriteCoalescing

@Suite("Writes between two flushes")
struct WriteCoalescerTests {
    private let network = Network()
    private let channel = EmbeddedChannel()

    init() throws { try channel.pipeline.syncOperations.addHandlers([network, WriteCoalescer()]) }

    private func write(_ text: String, promise: EventLoopPromise<Void>? = nil) {
        channel.write(IOData.byteBuffer(ByteBuffer(string: text)), promise: promise)
    }

    @Test("They leave as one, in their order, and each of their writers learns of it")
    func joined() {
        var written: [String] = []
        for text in ["a", "bc", "", "def"] {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenSuccess { written.append(text) }
            write(text, promise: promise)
        }
        #expect(network.events == [])
        channel.flush()
        #expect(network.events == ["abcdef", "flush"])
        #expect(written == ["a", "bc", "", "def"])

        // The memory is used again, and what has left stays as it was.
        write("g")
        channel.flush()
        channel.flush()
        #expect(network.events == ["abcdef", "flush", "g", "flush", "flush"])
    }

    @Test("What is written while a flush goes on leaves with the next, once")
    func reentrant() {
        network.onFlush = { [channel] in
            channel.write(IOData.byteBuffer(ByteBuffer(string: "second")), promise: nil)
        }
        write("first")
        channel.flush()
        channel.flush()
        #expect(network.events == ["first", "flush", "second", "flush"])
    }

    @Test("What was written before a close goes before it")
    func closed() {
        write("farewell")
        channel.close(promise: nil)
        #expect(network.events == ["farewell", "close"])
    }
}

/// What comes out of the channel, in its order.
private final class Network: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    private(set) var events: [String] = []
    /// Runs in the next flush, once.
    var onFlush: (() -> Void)?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .byteBuffer(let bytes) = unwrapOutboundIn(data) { events.append(String(buffer: bytes)) }
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
        events.append("flush")
        let action = onFlush
        onFlush = nil
        action?()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        events.append("close")
        promise?.succeed()
    }
}
