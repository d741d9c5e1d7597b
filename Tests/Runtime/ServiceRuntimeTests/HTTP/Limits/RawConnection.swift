import Dispatch
import Glibc
import NIOCore

/// A connection to a local port whose bytes are the test's own.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        let result = address.withSockAddr { connect(descriptor, $0, socklen_t($1)) }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "connect") }
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Everything until the other side closes; waits on a thread of its own.
    func readToEnd() async -> String { await read { _ in false } }

    /// Everything until what came ends like this, or the other side closes.
    func read(endingWith end: String) async -> String { await read { $0.hasSuffix(end) } }

    private func read(until isWhole: @escaping @Sendable (String) -> Bool) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "read").async { [descriptor] in
                var all: [UInt8] = []
                var bytes = [UInt8](repeating: 0, count: 4_096)
                while !isWhole(String(decoding: all, as: UTF8.self)),
                    case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0
                {
                    all += bytes[..<count]
                }
                continuation.resume(returning: String(decoding: all, as: UTF8.self))
            }
        }
    }

    /// Closes this end, in order: what the other side sends is still read.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Resets the connection.
    func close() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        Glibc.close(descriptor)
    }
}
