package import Logging
import Synchronization

/// Stores log lines, at every level and with their metadata, so that a test can wait for a line or count them.
package final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var all: [String] { lines.withLock { $0 } }

    package var logger: Logger { Logger(label: "tests") { _ in Handler(owner: self) } }

    private struct Handler: LogHandler {
        let owner: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            owner.lines.withLock { $0.append("\(event.level): \(event.message) \(all)") }
        }
    }
}

extension Logger {
    /// Logs nothing.
    package static var silent: Logger { Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() } }
}
