import Foundation

/// The board as a browser first loads it, and how long the desk takes to render it.
struct DeskFirstPage: Codable {
    /// From asking until the whole page is read, on a connection that is open: rendering, and the loopback.
    let untilRead: Distribution
    /// Bytes of bodies as they are sent, by path; the page itself is `page`.
    let bytes: [String: Int]

    init(on browser: DeskBrowser, count: Int) async throws {
        var durations: [Instant] = []
        var page: [UInt8] = []
        for _ in 0..<count {
            let begin = now()
            page = try await browser.get("/")
            durations.append(now() - begin)
        }
        let text = String(decoding: page, as: UTF8.self)
        var bytes = ["page": page.count]
        for path in Set(text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.output.1) }) {
            bytes[path] = try await browser.get(path).count
        }
        untilRead = Distribution(durations)
        self.bytes = bytes
    }

    var kibibytes: Double { Double(bytes.values.reduce(0, +)) / 1024 }
}
