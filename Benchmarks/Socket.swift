import Glibc

/// A connection to a loopback port, with the received and unread bytes.
final class Socket {
    let descriptor: Int32
    var input: [UInt8] = []

    /// - Parameter receiveSeconds: after which waiting for bytes fails; nil for a socket that a poller waits for.
    init(port: Int, receiveSeconds: Int? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let descriptor = descriptor
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { throw SystemFailure("connecting to port \(port)") }
        var isOn: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
        if let receiveSeconds {
            var time = timeval(tv_sec: receiveSeconds, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout.size(ofValue: time)))
        }
    }

    deinit { close(descriptor) }

    /// Sends all of it; requests are far smaller than a socket's buffer.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SystemFailure("sending") }
            sent += count
        }
    }

    /// Reads the available bytes; the poller reported the socket as readable.
    func receive() throws {
        let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { input.append(contentsOf: buffer[..<count]) }
            return count
        }
        guard count > 0 else {
            throw SystemFailure("the service closed the connection", count == 0 ? ECONNRESET : errno)
        }
    }
}

extension [UInt8] {
    /// The range of `word` at or after `start`.
    func firstRange(of word: StaticString, from start: Int = 0) -> Range<Int>? {
        let length = word.utf8CodeUnitCount
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var begin = start
            while begin + length <= bytes.count {
                guard let found = memchr(base + begin, Int32(word.utf8Start.pointee), bytes.count - length - begin + 1)
                else { return nil }
                begin = base.distance(to: UnsafeRawPointer(found))
                if memcmp(base + begin, word.utf8Start, length) == 0 { return begin..<begin + length }
                begin += 1
            }
            return nil
        }
    }

    /// The number in decimal digits that begins at `start`.
    func number(at start: Int) -> Int? {
        var value: Int?
        for byte in self[start...] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            value = (value ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}

extension Socket {
    /// A port of loopback that nothing listens on, by the kernel's choice.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure("socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw SystemFailure("binding a port of 127.0.0.1") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
