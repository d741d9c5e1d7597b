import Foundation

/// A server on the loopback that takes one request and answers it with fixed bytes.
final class LoopbackServer: Sendable {
    struct Failure: Error { let call: String }

    let port: UInt16
    private let listener: Int32
    private let answer: String

    init(answering answer: String) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isBound else { throw Failure(call: "bind") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }

    /// Takes a request, answers it, and gives it back as text.
    func next() async throws -> String {
        let (listener, answer) = (listener, answer)
        // The calls block, so they get a thread of their own.
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return continuation.resume(throwing: Failure(call: "accept")) }
                var text = ""
                var buffer = [UInt8](repeating: 0, count: 4096)
                while !Self.isWhole(text) {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    text += String(decoding: buffer[..<count], as: UTF8.self)
                }
                _ = answer.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
                close(connection)
                continuation.resume(returning: text)
            }
        }
    }

    private static func isWhole(_ text: String) -> Bool {
        let parts = text.components(separatedBy: "\r\n\r\n")
        guard parts.count == 2 else { return false }
        let length = parts[0].lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        return parts[1].utf8.count >= length ?? 0
    }
}
