import CPostgres
import Glibc
import Logging

/// One `PGconn`, closed with its owner; every function blocks and belongs on the connection's own executor.
struct ConnectionHandle: ~Copyable {
    let pointer: OpaquePointer
    private let marker: String
    private let notices: Unmanaged<NoticeSink>

    /// Connects to the first server that answers and is of the configured kind, each within `connectTimeout`.
    ///
    /// libpq accepts a list of servers too, but non-blocking callers have to enforce the time-out for each server.
    /// - Throws: ``PostgresError/Code/connection`` with the reason of every server.
    init(_ configuration: PostgresConfiguration, logger: Logger) throws(PostgresError) {
        var reasons: [String] = []
        for server in configuration.servers {
            do {
                try self.init(configuration, server: server, logger: logger)
                return
            } catch {
                reasons.append(error.message)
            }
        }
        throw PostgresError(.connection, reasons.joined(separator: "; "))
    }

    private init(
        _ configuration: PostgresConfiguration, server: PostgresConfiguration.Server, logger: Logger
    ) throws(PostgresError) {
        let marker = String(UInt64.random(in: 0 ... .max), radix: 36)
        let parameters = configuration.connectionParameters(to: server, marker: marker)
        var keywords = parameters.map { UnsafePointer(strdup($0.keyword)) } + [nil]
        var values = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
        defer { for copy in keywords + values { free(UnsafeMutablePointer(mutating: copy)) } }
        guard let pointer = PQconnectStartParams(&keywords, &values, 0) else {
            throw PostgresError(.connection, "libpq is out of memory")
        }
        let notices = Unmanaged.passRetained(NoticeSink(logger: logger))
        // Set before the server sends a notice: notices during the connect would go to standard error.
        PQsetNoticeReceiver(pointer, receiveNotice, notices.toOpaque())
        if let failure = Self.finishConnecting(pointer, within: configuration.connectTimeout) {
            PQfinish(pointer)
            notices.release()
            throw PostgresError(.connection, failure)
        }
        self.pointer = pointer
        self.marker = marker
        self.notices = notices
        // Statements are queued in pipeline mode, where blocking writes could deadlock (manual, 34.5.1).
        PQsetnonblocking(pointer, 1)
    }

    deinit {
        PQfinish(pointer)
        notices.release()
    }

    /// Completes the connection attempt that `PQconnectStartParams` began.
    ///
    /// - Returns: the reason of the failure, or nil.
    private static func finishConnecting(_ pointer: OpaquePointer, within timeout: Duration) -> String? {
        let deadline = ContinuousClock.now + timeout
        // libpq asks to begin as though it waited to write (manual, 34.1).
        var state = PQstatus(pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            if state == PGRES_POLLING_FAILED { return String(cString: PQerrorMessage(pointer)).trimmed }
            let events = Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
            var poller = pollfd(fd: PQsocket(pointer), events: events, revents: 0)
            let remaining = max(0, (deadline - .now).milliseconds)
            if poll(&poller, 1, Int32(remaining)) == 0 { return "the server did not answer within \(timeout)" }
            state = PQconnectPoll(pointer)
        }
        return nil
    }

    /// Compares a setting of the session with the value that this connection sent.
    ///
    /// A pooler between this process and the server may drop the settings, and may route a statement to a session of
    /// another client, in which other statements are prepared.
    /// - Throws: ``PostgresError/Code/connection`` where the session lacks the value that this connection sent.
    func checkSettings(within timeout: Duration) throws(PostgresError) {
        let deadline = ContinuousClock.now + timeout
        let query = "SELECT current_setting('\(PostgresConfiguration.markerSetting)', true)"
        guard PQsendQuery(pointer, query) == 1 else { throw PostgresError(.connection, errorMessage) }
        var value: String?
        while true {
            try waitForResult {
                ContinuousClock.now > deadline
                    ? PostgresError(.connection, "the server did not answer within \(timeout)") : nil
            }
            guard let result = ResultHandle(PQgetResult(pointer)) else { break }
            if result.status == PGRES_FATAL_ERROR { throw result.error(query: nil) }
            value = result.firstCell ?? value
        }
        guard value == marker else { throw Self.settingsLost }
    }

    private static let settingsLost = PostgresError(
        .connection,
        "the session has not the settings that it was begun with: connect to Postgres itself, not through a pooler such as "
            + "PgBouncer, and leave its ignore_startup_parameters empty")

    var isAlive: Bool { PQstatus(pointer) == CONNECTION_OK }

    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(pointer) }

    /// Reads unsolicited input of the server; false when it ended the connection.
    func absorbInput() -> Bool {
        // PQisBusy also parses; the server announces the end by a fatal notice before the stream ends.
        PQconsumeInput(pointer) == 1 && PQisBusy(pointer) == 0 && isAlive && !notices.takeUnretainedValue().isFatal
    }

    var errorMessage: String { String(cString: PQerrorMessage(pointer)).trimmed }

    /// Returns when a result is ready, so that `PQgetResult` will not block.
    ///
    /// - Throws: ``PostgresError/Code/connection`` when the connection is lost; the error of `isOver` when it returns
    ///   one.
    func waitForResult(isOver: () -> PostgresError?) throws(PostgresError) {
        while PQisBusy(pointer) == 1 {
            let unsent = PQflush(pointer)
            guard unsent >= 0 else { throw PostgresError(.connection, errorMessage) }
            // Once a second, to check whether the result is still waited for.
            var poller = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN | (unsent > 0 ? POLLOUT : 0)), revents: 0)
            let ready = poll(&poller, 1, 1_000)
            if let error = isOver() { throw error }
            if ready > 0, poller.revents & Int16(POLLIN | POLLERR | POLLHUP) != 0, PQconsumeInput(pointer) == 0 {
                throw PostgresError(.connection, errorMessage)
            }
        }
    }
}

/// The logger of a connection's notices; libpq passes it back as the receiver's argument.
private final class NoticeSink {
    let logger: Logger
    /// True once the server has announced that it closes the connection.
    var isFatal = false

    init(logger: Logger) { self.logger = logger }
}

/// A free function, so that it inherits no isolation; libpq calls it on the thread that runs the statement.
private func receiveNotice(_ argument: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let argument, let result else { return }
    let sink = Unmanaged<NoticeSink>.fromOpaque(argument).takeUnretainedValue()
    // "V" is PG_DIAG_SEVERITY_NONLOCALIZED.
    let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map { String(cString: $0) }
    if severity == "FATAL" { sink.isFatal = true }
    sink.logger.log(
        level: severity == "WARNING" ? .warning : .debug, "\(String(cString: PQresultErrorMessage(result)).trimmed)")
}
