/// A page as a browser first loads it, with the service's rendering time.
struct FirstPage: Encodable {
    /// The time from the request until the whole page is read: rendering, and the loopback.
    let untilRead: Distribution
    /// Bytes by path; the page itself is `page`.
    let bytes: [String: Int]

    /// - Parameters:
    ///   - paths: of pages, which are loaded in turn.
    ///   - load: the bytes that come for a path.
    init(of paths: [String], count: Int, load: (String) async throws -> [UInt8]) async throws {
        var durations: [Instant] = []
        var page: [UInt8] = []
        for number in 0..<count {
            let begin = now()
            page = try await load(paths[number % paths.count])
            durations.append(now() - begin)
        }
        let text = String(decoding: page, as: UTF8.self)
        let assets = Set(text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.output.1) })
        guard text.contains("</html>"), !assets.isEmpty else {
            throw BenchFailure("a page is not whole, or names nothing that it loads: \(text.prefix(2_000))")
        }
        var bytes = ["page": page.count]
        for path in assets { bytes[path] = try await load(path).count }
        untilRead = Distribution(durations)
        self.bytes = bytes
    }

    /// The figures with their aims.
    func figures(millisecondsMax: Double, kibibytesMax: Double) -> [Figure] {
        [
            Figure(
                "first page until it is read, p50 and p99 of \(untilRead.count), ms", untilRead.p50AndP99,
                aim: millisecondsMax.text),
            Figure(
                "first page and all that it loads, on the wire", Double(bytes.values.reduce(0, +)) / 1024, "KiB",
                .atMost(kibibytesMax)),
        ]
    }
}
