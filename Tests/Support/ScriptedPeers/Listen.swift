package import NIOCore
import NIOPosix

/// Listens on loopback.
///
/// - Parameters:
///   - port: 0 for a free one.
///   - serve: adds the handlers of a new connection.
package func listen(
    host: String = "127.0.0.1", port: Int = 0,
    _ serve: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
) async throws -> any Channel {
    try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try serve(channel.pipeline.syncOperations) }
        }
        .bind(host: host, port: port).get()
}
