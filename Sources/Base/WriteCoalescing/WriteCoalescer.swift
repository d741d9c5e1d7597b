package import NIOCore

/// Joins the writes before a flush into one buffer.
///
/// The HTTP/2 handler writes each frame, and DATA payloads separately; TLS would make a record of each write.
/// Joined, the frames of many requests share a record (16 KiB at most; RFC 8446, section 5.1).
package final class WriteCoalescer: ChannelOutboundHandler {
    package typealias OutboundIn = IOData
    package typealias OutboundOut = IOData

    /// Bytes of memory that are kept from one flush to the next.
    private static let keptBytes = 65_536

    private var pending = ByteBuffer()
    /// The promise for all bytes in ``pending``.
    private var promise: EventLoopPromise<Void>?

    /// Creates a handler for one channel, between TLS and HTTP/2.
    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let bytes) = unwrapOutboundIn(data) else {
            _ = forward(context)
            return context.write(data, promise: promise)
        }
        pending.writeImmutableBuffer(bytes)
        guard let promise else { return }
        if let first = self.promise {
            first.futureResult.cascade(to: promise)
        } else {
            self.promise = promise
        }
    }

    package func flush(context: ChannelHandlerContext) {
        var sent = forward(context)
        context.flush()
        // TLS has released the bytes by now, so the next write reuses their memory.
        if pending.capacity == 0, sent.capacity <= Self.keptBytes {
            sent.clear()
            pending = sent
        }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        _ = forward(context)
        context.close(mode: mode, promise: promise)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        promise?.fail(ChannelError.ioOnClosedChannel)
        promise = nil
    }

    /// - Returns: the written buffer, whose memory can be reused.
    private func forward(_ context: ChannelHandlerContext) -> ByteBuffer {
        var bytes = ByteBuffer()
        var written: EventLoopPromise<Void>?
        swap(&bytes, &pending)
        swap(&written, &promise)
        if bytes.readableBytes > 0 { context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: written) }
        return bytes
    }
}
