import Foundation

/// The server's addresses, the role's credentials, and the pool's bounds.
public struct PostgresConfiguration: Sendable, CustomStringConvertible {
    /// One server of the database: a primary, or a standby that may be promoted to one.
    public struct Server: Hashable, Sendable, CustomStringConvertible {
        /// Host name or address, or the folder of a Unix socket.
        public var host: String
        public var port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        public var description: String { "\(host):\(port)" }
    }

    /// The required kind of session; the values of libpq's `target_session_attrs` that a writer can use.
    public enum SessionKind: String, Sendable, CaseIterable {
        /// Any server that answers, a standby included.
        case any
        /// A server on which a new transaction can write.
        case readWrite = "read-write"
        /// A server that is no standby.
        case primary
    }

    /// Host name or address, or the folder of a Unix socket, of the server that is tried first.
    public var host = "127.0.0.1"
    public var port = 5432
    /// Tried in this order, each for ``connectTimeout``, where the first one does not answer or is of the wrong kind.
    public var furtherServers: [Server] = []
    /// The pool rejects a connection to a server of another kind.
    public var sessionKind = SessionKind.readWrite
    public var user = "postgres"
    /// Never appears in ``description``.
    public var password: String?
    public var database = "postgres"
    /// The only schema on the search path; nil leaves the path to the server.
    public var schema: String?
    /// The application name in `pg_stat_activity`.
    public var applicationName = "doorstep"
    /// libpq's `sslmode`: `disable`, `prefer`, `require`, `verify-ca`, `verify-full`; nil is libpq's default, `prefer`.
    public var sslMode: String?
    /// File of the certificate authorities that `verify-ca` and `verify-full` trust.
    public var sslRootCertificate: String?
    /// Further command-line options of the session, such as `-c work_mem=8MB`.
    public var options: String?
    /// Connections, and threads, at most.
    public var connectionsMax = 8
    /// Callers that may wait for a connection at once; the next is refused.
    public var waitersMax = 1_024
    /// Statements each connection keeps prepared.
    public var preparedStatementsMax = 256
    /// The time-out of one connection attempt.
    public var connectTimeout = Duration.seconds(5)
    /// The server's statement time-out; nil for none.
    public var statementTimeout: Duration?
    /// The longest wait for a connection from the pool.
    public var acquireTimeout = Duration.seconds(5)
    /// The time that ``PostgresPool/shutDown()`` gives running work before it interrupts the work.
    public var drainTimeout = Duration.seconds(10)

    /// The superuser of a server on this machine, to be adjusted.
    public init() {}

    /// Reads `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…&application_name=…&options=…`.
    ///
    /// `search_path` is understood too; it becomes ``schema``. A host that begins with an encoded slash is a folder.
    /// Several servers are separated by commas, as in `host1:5432,host2:5432`; `target_session_attrs` is `read-write`,
    /// the default, `primary` or `any`.
    /// - Throws: ``PostgresError/Code/configuration`` for another scheme or an unknown parameter; the message never
    ///   contains the URL, which may hold a password.
    public init(url: String) throws(PostgresError) {
        let (first, further) = try Self.separated(url)
        guard let parts = URLComponents(string: first), parts.scheme == "postgres" || parts.scheme == "postgresql"
        else {
            throw PostgresError(.configuration, "the database URL does not begin with postgres:// or cannot be read")
        }
        self.init()
        if let host = parts.host, !host.isEmpty {
            self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        }
        port = parts.port ?? port
        furtherServers = further
        user = parts.user ?? user
        password = parts.password
        let path = parts.path.drop { $0 == "/" }
        database = path.isEmpty ? user : String(path)
        for item in parts.queryItems ?? [] {
            switch item.name {
            case "sslmode": sslMode = item.value
            case "sslrootcert": sslRootCertificate = item.value
            case "application_name": applicationName = item.value ?? applicationName
            case "search_path": schema = item.value
            case "options": options = item.value
            case "target_session_attrs":
                guard let kind = item.value.flatMap(SessionKind.init) else {
                    throw PostgresError(
                        .configuration,
                        "target_session_attrs of the database URL is none of "
                            + SessionKind.allCases.map(\.rawValue).joined(separator: ", "))
                }
                sessionKind = kind
            default:
                throw PostgresError(.configuration, "the database URL has an unknown parameter '\(item.name)'")
            }
        }
    }

    public var description: String {
        "postgres://\(user)\(password == nil ? "" : ":***")@\(address)" + (schema.map { " schema \($0)" } ?? "")
    }

    /// The servers after the first in a URL's list of hosts, which `URLComponents` does not know, and the URL without
    /// them.
    private static func separated(_ url: String) throws(PostgresError) -> (first: String, further: [Server]) {
        guard let scheme = url.range(of: "://") else { return (url, []) }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let hosts = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let list = hosts.split(separator: ",", omittingEmptySubsequences: false)
        guard list.count > 1 else { return (url, []) }
        var further: [Server] = []
        for entry in list.dropFirst() {
            guard let parts = URLComponents(string: "postgres://\(entry)"), let host = parts.host, !host.isEmpty else {
                throw PostgresError(.configuration, "the database URL has a server without a host in its list")
            }
            further.append(
                Server(host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port: parts.port ?? 5432)
            )
        }
        return (url.replacingCharacters(in: hosts.startIndex..<hosts.endIndex, with: list[0]), further)
    }

    /// The servers in the order of attempts.
    var servers: [Server] { [Server(host: host, port: port)] + furtherServers }

    /// The servers and the database, for log lines.
    var address: String { "\(servers.map(\.description).joined(separator: ","))/\(database)" }

    /// A setting without an effect, sent with the others: a session with the marker has the other settings too.
    static let markerSetting = "doorstep.session"

    /// libpq's keywords and values (manual, 34.1.2) for a connection to one server.
    ///
    /// - Parameter marker: the value of ``markerSetting``, unique to this connection.
    func connectionParameters(to server: Server, marker: String) -> [(keyword: String, value: String)] {
        var parameters: [(keyword: String, value: String)] = [
            ("host", server.host), ("port", String(server.port)), ("user", user), ("dbname", database),
            ("target_session_attrs", sessionKind.rawValue),
            ("application_name", applicationName), ("client_encoding", "UTF8"),
            ("options", sessionOptions(marker: marker)),
            // A peer that vanished without a word is noticed in about 25 s rather than in two hours.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
        ]
        if let password { parameters.append(("password", password)) }
        if let sslMode { parameters.append(("sslmode", sslMode)) }
        if let sslRootCertificate { parameters.append(("sslrootcert", sslRootCertificate)) }
        return parameters
    }

    /// Session settings that decoding relies on, whatever the server's or role's defaults.
    ///
    /// JIT is off: for the services' statements, compilation costs more than it saves, half a second each where the
    /// planner expects many rows.
    private func sessionOptions(marker: String) -> String {
        var settings = [
            "TimeZone": "UTC", "DateStyle": "ISO", "bytea_output": "hex", "extra_float_digits": "1",
            "jit": "off", Self.markerSetting: marker,
        ]
        if let schema { settings["search_path"] = SQL.identifier(schema).text }
        if let statementTimeout { settings["statement_timeout"] = String(statementTimeout.milliseconds) }
        var words = settings.sorted { $0.key < $1.key }.map { "-c \($0.key)=\(escaped($0.value))" }
        if let options { words.append(options) }
        return words.joined(separator: " ")
    }

    /// "Spaces … are considered to separate command-line arguments, unless escaped with a backslash" (manual, 34.1.2).
    private func escaped(_ value: String) -> String {
        value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: " ", with: "\\ ")
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
