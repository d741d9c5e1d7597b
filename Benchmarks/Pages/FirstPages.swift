import Foundation

/// What a browser loads that opens a customer's page, and how long the page itself takes.
struct FirstPages: Codable {
    private static let answerSecondsMax = 30

    /// From connecting until the whole answer is read, one page after another.
    let untilRead: Distribution
    /// Bytes on the wire, heads of the answers too, by path; the page itself is `page`.
    let bytes: [String: Int]

    /// - Parameter paths: of pages, which are asked for in turn.
    init(of paths: [String], count: Int, port: Int) throws {
        var durations: [Instant] = []
        var page: [UInt8] = []
        for number in 0..<count {
            let request = Self.request(paths[number % paths.count], accept: "text/html", port: port)
            let begin = now()
            page = try Self.answer(to: request, port: port)
            durations.append(now() - begin)
        }
        let text = String(decoding: page, as: UTF8.self)
        let assets = Set(text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.output.1) })
        guard text.contains("</html>"), !assets.isEmpty else {
            throw BenchFailure("a page is not whole, or names nothing that it loads: \(text.prefix(2_000))")
        }
        var bytes = ["page": page.count]
        for path in assets {
            bytes[path] = try Self.answer(to: Self.request(path, accept: "*/*", port: port), port: port).count
        }
        untilRead = Distribution(durations)
        self.bytes = bytes
    }

    private static func request(_ path: String, accept: String, port: Int) -> [UInt8] {
        Array(
            """
            GET \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Accept: \(accept)\r
            Accept-Encoding: gzip\r\n\r\n
            """.utf8)
    }

    /// The whole answer on a connection of its own.
    private static func answer(to request: [UInt8], port: Int) throws -> [UInt8] {
        let socket = try Socket(port: port, receiveSeconds: answerSecondsMax)
        guard socket.exchange(request)?.status == 200 else {
            let text = String(decoding: request, as: UTF8.self).prefix { $0 != "\r\n" }
            throw BenchFailure("\(text): \(String(decoding: socket.input.prefix(2_000), as: UTF8.self))")
        }
        return socket.input
    }
}
