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
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return [] }
            var lines: [Range<Int>] = []
            for mark in marks {
                var from = 0
                while let hit = memmem(start + from, bytes.count - from, mark, mark.utf8.count) {
                    let line = line(around: UnsafeRawPointer(start).distance(to: UnsafeRawPointer(hit)), of: bytes)
                    lines.append(line)
                    from = line.upperBound
                }
            }
            return Set(lines).sorted { $0.lowerBound < $1.lowerBound }.map {
                String(decoding: bytes[$0], as: UTF8.self)
            }
        }
    }

    private static func line(around offset: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
        return start..<(bytes[offset...].firstIndex(of: newline) ?? bytes.count)
    }

    private static func message(of line: String) -> String? {
        struct Line: Decodable { let message: String }
        return try? JSONDecoder().decode(Line.self, from: Data(line.utf8)).message
    }
}
