import Glibc

/// What the system would not give.
struct NoPort: Error {}

/// A port of the loopback interface that nobody listens on now.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return try bindToFreePort(descriptor)
}

/// Makes a socket listen on a port that was free until now.
func listenOnFreePort(_ descriptor: Int32) throws -> Int {
    let port = try bindToFreePort(descriptor)
    guard listen(descriptor, 8) == 0 else { throw NoPort() }
    return port
}

private func bindToFreePort(_ descriptor: Int32) throws -> Int {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isBound else { throw NoPort() }
    return Int(UInt16(bigEndian: address.sin_port))
}
