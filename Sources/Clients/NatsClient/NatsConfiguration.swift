internal import Foundation

/// The broker's addresses, credentials and time-outs.
///
/// | Key | Type | Default | Secret |
/// |---|---|---|---|
/// | `servers` | list of URLs | `nats://127.0.0.1:4222` | a URL may hold a password |
/// | `user`, `password` | text | none | password |
/// | `credentialsFile` | path of a `.creds` file | none | its content |
/// | `name` | text, shown in the server's monitoring | `doorstep` | |
/// | `inboxPrefix` | subject | `_INBOX` | |
/// | `answersPrefix` | subject | as the inbox | |
/// | `tlsCAFile` | path of a PEM file; turns TLS on | none | |
/// | `connectTimeout` | duration, per server | 2 s | |
/// | `reconnectWait` | duration between attempts | 500 ms | |
/// | `pingInterval` | duration; two missed answers end the connection | 10 s | |
/// | `writeTimeout` | duration | 5 s | |
/// | `requestsPendingMax` | requests that wait for an answer | 16,384 | |
/// | `subscriptionBytesPendingMax` | bytes a subscription may hold unread | 64 MiB | |
/// | `drainTimeout` | duration | 10 s | |
public struct NatsConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The servers of one cluster, tried in this order; list them all, for others are not discovered.
    public var servers = ["nats://127.0.0.1:4222"]
    /// The user name, for servers with users in their configuration.
    public var user: String?
    /// Never printed.
    public var password: String?
    /// A `.creds` file with a user's token and seed, for servers that run with an operator.
    public var credentialsFile: String?
    /// The client's name in the server's monitoring.
    public var name = "doorstep"
    /// The first tokens of every subject that the server's answers arrive on, so that a user can be kept to its own.
    public var inboxPrefix: String?
    /// The first tokens of every subject that other clients' answers arrive on, so that these may publish there and not
    /// in the inbox.
    public var answersPrefix: String?
    /// Certificates to trust; setting it makes TLS mandatory.
    public var tlsCAFile: String?
    /// The time-out of one attempt at one server.
    public var connectTimeout = Duration.seconds(2)
    /// The pause between attempts while no server answers.
    public var reconnectWait = Duration.milliseconds(500)
    /// The interval of pings; after two missed answers the connection counts as broken.
    public var pingInterval = Duration.seconds(10)
    /// The time-out of a write to a server that does not read.
    public var writeTimeout = Duration.seconds(5)
    /// Requests that may wait for their answer; one more fails as overloaded.
    public var requestsPendingMax = 16_384
    /// Bytes the C library may hold for one subscription before it drops messages and reports a slow consumer.
    public var subscriptionBytesPendingMax = 64 << 20
    /// The time-out of work in flight after shutdown begins.
    public var drainTimeout = Duration.seconds(10)

    /// A configuration without credentials, to be adjusted.
    public init(servers: [String] = ["nats://127.0.0.1:4222"]) { self.servers = servers }

    /// The servers and the name, with every password replaced.
    public var description: String {
        let places = servers.map(Self.redacted).joined(separator: ",")
        return "NATS \(places) as \(user ?? "no user") (\(name))"
    }

    /// The same as ``description``, so that a dump does not leak.
    public var debugDescription: String { description }

    /// The URL without the part before `@`.
    static func redacted(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return url }
        let scheme = url.range(of: "://").map { url[..<$0.upperBound] } ?? ""
        return scheme + "***" + url[at...]
    }
}

extension Duration {
    /// Whole milliseconds, at least one, as the C library counts.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }

    /// Whole nanoseconds, as JetStream counts.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
