internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Sets TCP keep-alive and time-out options, so that the kernel detects peers that vanished, as phones do offline.
///
/// Without them a stream to such a peer stays open until TCP stops retransmitting, after a quarter of an hour.
enum DeadPeerDetection {
    /// Seconds without traffic after which the peer is probed.
    static let idleSeconds = 4
    /// Seconds between two probes.
    static let probeSeconds = 3
    /// Milliseconds of unacknowledged data or probes after which the connection ends.
    ///
    /// Three probes are sent until then, at 4, 7 and 10 seconds: the loss of one or two ends no connection.
    static let unacknowledgedMillisecondsMax = 11_000

    /// Sets it for every connection that a listening socket will accept: Linux copies these options to them.
    static func enable(on listening: any Channel) async throws {
        try await listening.setOption(ChannelOptions.socketOption(.so_keepalive), value: 1).get()
        for (name, value) in [
            (TCP_KEEPIDLE, idleSeconds), (TCP_KEEPINTVL, probeSeconds),
            (TCP_USER_TIMEOUT, unacknowledgedMillisecondsMax),
        ] {
            let option = ChannelOptions.tcpOption(NIOBSDSocket.Option(rawValue: name))
            try await listening.setOption(option, value: ChannelOptions.Types.SocketOption.Value(value)).get()
        }
    }
}
