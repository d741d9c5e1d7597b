import Foundation

/// What the logs of a run's processes say.
struct LogFindings {
    /// What a process writes that broke.
    private static let marks = [
        "\"level\":\"critical\"", "Fatal error", "Program crashed", "*** Signal", "runtime error",
    ]

    /// Lines that say that a process broke.
    let broken: [String]
    /// How often each error was logged, by service and message.
    let errors: [String: Int]

    init(_ logs: [String: String]) {
        var broken: [String] = []
        var errors: [String: Int] = [:]
        for (name, text) in logs.sorted(by: { $0.key < $1.key }) {
            for line in text.split(separator: "\n") {
                if Self.marks.contains(where: { line.contains($0) }) { broken.append("\(name): \(line.prefix(500))") }
                guard line.contains("\"level\":\"error\""), let message = Self.message(of: line) else { continue }
                errors["\(name): \(message)", default: 0] += 1
            }
        }
        self.broken = broken
        self.errors = errors
    }

    private static func message(of line: Substring) -> String? {
        struct Line: Decodable { let message: String }
        return try? JSONDecoder().decode(Line.self, from: Data(line.utf8)).message
    }
}
