package import Foundation
package import Logging

/// The format of a log line.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One JSON object a line, for machines.
    case json
    /// Plain text, for people at a terminal.
    case text
}

/// Writes each event as one line.
///
/// A JSON line has `timestamp` (RFC 3339, UTC, milliseconds, wall time), `level`, `service`, `message`, `trace_id` and
/// `span_id` inside a span, `error` where one was logged, `source` (the module), and the rest of the metadata in `metadata`.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level
    private let service: String
    private let format: LogFormat
    private let wall: @Sendable () -> Date
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - wall: the wall clock that stamps the lines.
    ///   - write: writes a whole line, line feed included.
    package init(
        service: String, format: LogFormat, level: Logger.Level, metadataProvider: Logger.MetadataProvider?,
        wall: @escaping @Sendable () -> Date, write: @escaping @Sendable (String) -> Void
    ) {
        self.service = service
        self.format = format
        self.wall = wall
        self.write = write
        self.metadataProvider = metadataProvider
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let given = event.metadata { all.merge(given) { _, new in new } }
        let line = LogLine(
            timestamp: wall(), level: event.level, service: service, message: event.message.description,
            error: event.error.map { String(describing: $0) }, source: event.source, metadata: all)
        write(format == .json ? line.json : line.text)
    }
}

/// Writes a whole line to standard error, in one call where the system allows it, so that lines do not mix.
package func writeToStandardError(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
        var left = UnsafeRawBufferPointer(bytes)
        while !left.isEmpty {
            let count = write(STDERR_FILENO, left.baseAddress, left.count)
            if count < 0 {
                if errno == EINTR { continue }
                return  // No reader, and no other place to report that.
            }
            left = UnsafeRawBufferPointer(rebasing: left[count...])
        }
    }
}
