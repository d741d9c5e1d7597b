internal import Glibc

/// There is no port to listen on.
package struct NoFreePort: Error {}

/// A port of the loopback address that is free now.
///
/// Below the ports that the system gives to connections (32768 and up), one of which might take it before a server does.
package func freePort() throws -> Int {
    for _ in 0..<1_000 {
        let port = Int.random(in: 10_000..<32_768)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return port }
    }
    throw NoFreePort()
}
