internal import Glibc
internal import Synchronization

/// There is no port to listen on.
package struct NoFreePort: Error {}

/// The ports of tests.
///
/// Below those of stacks (20000 and up, `Infra/local/stack`) and the system's ephemeral ones (32768 and up), one of which
/// might otherwise get a connection before the server starts.
private let portsForTests: Range<UInt16> = 10_000..<20_000
private let portsOfBlock: UInt16 = 50

/// The ports of this process's blocks that no call has returned: a server may listen on one only later.
private let left = Mutex<[UInt16]>([])

/// A port of the loopback address that is free now, and that no earlier call returned, in any process that still runs.
package func freePort() throws -> Int {
    try left.withLock { left in
        for _ in 0..<1_000 {
            if left.isEmpty {
                let first = blockOfPorts(with: .random(in: portsForTests))
                if holdBlockOfPorts(from: first) { left = Array(first..<(first + portsOfBlock)) }
            } else if let port = left.popLast(), onLoopback(port, bind) {
                return Int(port)
            }
        }
        throw NoFreePort()
    }
}

/// The first port of the block that has the port.
func blockOfPorts(with port: UInt16) -> UInt16 { port - port % portsOfBlock }

/// Holds a block of ports until this process ends.
///
/// The name of an abstract socket has one owner at a time, whichever user that is, and is of a network as ports are.
///
/// - Returns: false where it is held already.
func holdBlockOfPorts(from first: UInt16) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array("\0doorstep-test-ports-\(first)".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let isHeld = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    if !isHeld { close(descriptor) }
    return isHeld
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
