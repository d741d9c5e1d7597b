import Glibc

/// A loopback socket that occupies a port while it exists.
final class ListeningSocket: Sendable {
    /// The socket could not listen.
    struct Failed: Error {}

    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Port 0: the system chooses a free one.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound, listen(descriptor, 8) == 0 else {
            close(descriptor)
            throw Failed()
        }
    }

    deinit { close(descriptor) }
}
