import ArgumentParser
import CommandOutput
import Foundation
import StackClient

/// Brings every service's schema up to date.
struct AdminMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate every service's schema.",
        discussion: """
            Runs each service's own migrate, from this executable's folder, as the role in DATABASE_URL: the owner of \
            the schemas. May be repeated at any time; applied migrations are not applied twice. A migration that waits \
            for a lock, or that a deadlock ended, is repeated until it is applied, and each time the sessions that \
            hold locks are named on standard error.
            """)

    func run() async throws {
        guard ProcessInfo.processInfo.environment["DATABASE_URL"]?.isEmpty == false else {
            throw CommandFailure(.usage, "DATABASE_URL is not set; it names the database and the schemas' owner")
        }
        let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        try await forEachReportingFailures(Peer.allCases.map(\.rawValue)) { service in
            let executable = folder.appending(path: service)
            guard FileManager.default.isExecutableFile(atPath: executable.path) else {
                throw CommandFailure(.unavailable, "\(executable.path) is not there; install the services together")
            }
            let outcome = try MigrationOutcome(running: executable) { writeError("\(service): \($0)".safeOnTerminal) }
            guard outcome.hasSucceeded else { throw CommandFailure(.unavailable, outcome.summary) }
            writeLine("\(service): \(outcome.summary)".safeOnTerminal)
        }
    }
}

/// The result of a service's `migrate`, from its exit code and its last log line.
struct MigrationOutcome: Hashable, Sendable {
    let hasSucceeded: Bool
    let summary: String

    private struct Line: Decodable {
        let level: String?
        let message: String
        let error: String?
        let metadata: [String: String]?
    }

    init(hasSucceeded: Bool, output: String) {
        self.hasSucceeded = hasSucceeded
        let last = output.split(whereSeparator: \.isNewline).reversed().lazy
            .compactMap { Self.line(Data($0.utf8)) }.first
        if hasSucceeded {
            summary =
                switch last?.metadata?["applied"] {
                case nil: "migrated"
                case ""?: "up to date already"
                case let applied?: "applied \(applied)"
                }
        } else if let last {
            summary = [last.message, last.error].compactMap(\.self).joined(separator: ": ")
        } else {
            summary = output.split(whereSeparator: \.isNewline).last.map(String.init) ?? "it failed and did not say why"
        }
    }

    /// A log line; nil for any other line, such as a crash's output.
    private static func line(_ json: Data) -> Line? {
        // A line that is no log line is skipped; a summary falls back to the last line.
        try? JSONDecoder().decode(Line.self, from: json)
    }

    /// The message of a log line that is a warning, with the sessions that hold locks.
    private static func warning(in json: Data) -> String? {
        guard let line = Self.line(json), line.level == "warning" else { return nil }
        let holders = line.metadata?["holders"].flatMap { $0.isEmpty ? nil : "locks are held by \($0)" }
        return [line.message, holders].compactMap(\.self).joined(separator: ": ")
    }

    /// Runs a service's `migrate` to its end.
    ///
    /// - Parameter reportWarning: receives each warning of its log as it is written.
    init(running executable: URL, reportWarning: (String) -> Void) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = ["migrate"]
        // Its log is read: what it applied is a notice, and who holds a lock is a warning.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["LOG_FORMAT": "json", "LOG_LEVEL": "notice"]
        ) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        do {
            try process.run()
        } catch {
            throw CommandFailure(.unavailable, "\(executable.path) cannot be run (\(error.localizedDescription))")
        }
        // Read to the end before waiting, so that the child does not block on a full pipe.
        var (output, lineStart) = (Data(), 0)
        while case let part = pipe.fileHandleForReading.availableData, !part.isEmpty {
            output.append(part)
            while let lineEnd = output[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
                if let warning = Self.warning(in: output[lineStart..<lineEnd]) { reportWarning(warning) }
                lineStart = lineEnd + 1
            }
        }
        process.waitUntilExit()
        self.init(hasSucceeded: process.terminationStatus == 0, output: String(decoding: output, as: UTF8.self))
    }
}
