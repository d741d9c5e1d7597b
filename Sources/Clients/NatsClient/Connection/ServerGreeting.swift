internal import CNats
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The line a server greets with, which the C library reads and does not show.
///
/// Every server sends `INFO {…}` in clear text before anything else, so a second short connection hears it too.
enum ServerGreeting {
    private struct Info: Decodable { var version: String }

    /// The version of the server behind `connection`, such as `2.9.10`; nil if it could not be heard in time.
    static func version(of connection: OpaquePointer, timeout: Duration) -> String? {
        var buffer = [CChar](repeating: 0, count: 512)
        guard natsConnection_GetConnectedUrl(connection, &buffer, buffer.count) == NATS_OK else { return nil }
        let url = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        guard let components = url.flatMap(URLComponents.init(string:)), let host = components.host else { return nil }
        return greeting(host: host, port: components.port ?? 4222, timeout: timeout).flatMap(version(inGreeting:))
    }

    /// The version in a greeting line.
    static func version(inGreeting line: [UInt8]) -> String? {
        guard line.starts(with: Array("INFO ".utf8)) else { return nil }
        return try? JSONDecoder().decode(Info.self, from: Data(line.dropFirst(5))).version
    }

    private static func greeting(host: String, port: Int, timeout: Duration) -> [UInt8]? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let name = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard getaddrinfo(name, String(port), &hints, &found) == 0, let address = found else { return nil }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: Int(max(1, timeout.components.seconds)), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else { return nil }
        return readLine(from: descriptor, bytesMax: 32_768)
    }

    private static func readLine(from descriptor: Int32, bytesMax: Int) -> [UInt8]? {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while line.count < bytesMax {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return nil }
            line += chunk[..<count]
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return Array(line[..<end]) }
        }
        return nil
    }
}
