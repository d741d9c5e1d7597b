internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Has the kernel notice peers that vanished without a word, as a phone does that loses its network.
///
/// Without it a stream to such a peer is open until TCP gives up retransmitting, which takes a quarter of an hour.
enum DeadPeerDetection {
    /// Seconds without traffic after which the peer is probed.
    static let idleSeconds = 5
    /// Seconds between two probes.
    static let probeSeconds = 4
    /// Milliseconds after which a connection ends whose peer acknowledges neither data nor probes.
    static let unacknowledgedMillisecondsMax = 9_000

    /// Seconds after which a peer that vanished is noticed at the latest.
    ///
    /// Data that waits for its acknowledgement holds the probes up. What is written just before the probes would have
    /// ended the connection is waited for anew.
    static let noticedWithin = idleSeconds + probeSeconds + unacknowledgedMillisecondsMax / 1_000

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
