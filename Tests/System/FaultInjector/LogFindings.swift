import Foundation

/// What the logs of a run's processes say.
struct LogFindings {
    /// What a process writes that broke.
    private static let marks = [
        "\"level\":\"critical\"", "Fatal error", "Program crashed", "*** Signal", "runtime error",
    ]

    private let logs: [(name: String, text: String)]

    init(_ logs: [String: String]) { self.logs = logs.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// Lines that say that a process broke.
    var broken: [String] {
        logs.flatMap { name, text in Self.lines(of: text, with: Self.marks).map { "\(name): \($0.prefix(500))" } }
    }

    /// How often each error was logged, by service and message.
    var errors: [String: Int] {
        var errors: [String: Int] = [:]
        for (name, text) in logs {
            for message in Self.lines(of: text, with: ["\"level\":\"error\""]).compactMap(Self.message) {
                errors["\(name): \(message)", default: 0] += 1
            }
        }
        return errors
    }

    /// Lines that have one of the marks, in their order.
    ///
    /// Logs are megabytes, and each check reads them: as bytes that takes milliseconds, as characters seconds.
    private static func lines(of text: String, with marks: [String]) -> [String] {
        text.withCString { start in
            var lines: [Range<Int>] = []
            for mark in marks {
                var rest = start
                while let hit = strstr(rest, mark) {
                    let end = strchr(hit, newline) ?? hit + strlen(hit)
                    var first = UnsafePointer(hit)
                    while first > start, first[-1] != CChar(newline) { first -= 1 }
                    lines.append(start.distance(to: first)..<start.distance(to: end))
                    rest = UnsafePointer(end)
                }
            }
            return Set(lines).sorted { $0.lowerBound < $1.lowerBound }.map { line in
                String(
                    decoding: UnsafeRawBufferPointer(start: start + line.lowerBound, count: line.count), as: UTF8.self)
            }
        }
    }

    private static let newline = Int32(UInt8(ascii: "\n"))

    private static func message(of line: String) -> String? {
        struct Line: Decodable { let message: String }
        return try? JSONDecoder().decode(Line.self, from: Data(line.utf8)).message
    }
}
