internal import Glibc
internal import Synchronization

/// There is no port to listen on.
package struct NoFreePort: Error {}

/// The ports that tests of this process have received: a server may listen on one only later.
private let received = Mutex<Set<UInt16>>([])

/// A port of the loopback address that is free now, and that no earlier call in this process returned.
///
/// Below the system's ephemeral ports (32768 and up), one of which might otherwise get a connection before the server
/// starts.
package func freePort() throws -> Int {
    for _ in 0..<1_000 {
        let port = UInt16.random(in: 10_000..<32_768)
        if onLoopback(port, bind), received.withLock({ $0.insert(port).inserted }) { return Int(port) }
    }
    throw NoFreePort()
}

/// Whether a server accepts connections on a port of the loopback address.
package func isListening(at port: UInt16) -> Bool { onLoopback(port, connect) }

/// Whether a call for a new socket and a port of the loopback address succeeds.
private func onLoopback(_ port: UInt16, _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
