internal import Foundation
internal import NIOCore
internal import NIOPosix

/// Addresses of APNs, the provider key, and time-outs.
///
/// | Key | Type | Default | Secret |
/// |---|---|---|---|
/// | `apns.key.file` | path of a `.p8` file | none | its content |
/// | `apns.key.id`, `apns.team.id` | ten letters and digits | none | |
/// | `apns.production.url`, `apns.sandbox.url` | `https://host[:port]`, Apple's ports are 443 and 2197 | Apple's hosts | |
/// | `apns.trust.roots.file` | path of a PEM file with certificates | the system's | |
/// | `apns.connections` | 1 to 8, of each environment | 1 | |
public struct APNsConfiguration: Sendable {
    /// The key that provider tokens are signed with.
    public var key: ProviderKey
    /// The base URL of the production environment.
    public var productionURL = "https://api.push.apple.com"
    /// The base URL of the sandbox.
    public var sandboxURL = "https://api.sandbox.push.apple.com"
    /// Certificates to trust in place of the system's.
    public var trustRootsFile: String?
    /// Connections of each environment, opened when there is something to send.
    public var connections = 1
    /// The time-out of a request whose caller sets none.
    public var requestTimeout = Duration.seconds(10)
    /// Requests that may wait for a stream, in each environment.
    public var requestsWaitingMax = 10_000
    /// Upper bound of concurrent streams per connection, even where APNs allows more.
    public var streamsPerConnectionMax = 1_000
    /// The time-out of name look-up, TCP, TLS and APNs' SETTINGS together.
    public var connectTimeout = Duration.seconds(10)
    /// The pause after a connection that failed, and the longest after many.
    public var reconnectWait = Duration.milliseconds(500)
    public var reconnectWaitMax = Duration.seconds(60)
    /// Silence after which a connection with requests in flight is checked by a PING.
    public var pingAfterSilence = Duration.seconds(5)
    /// The silence after which an idle connection is pinged.
    public var pingWhenIdle = Duration.seconds(60)
    /// The time-out of a PING's answer, after which the connection counts as broken.
    public var pingTimeout = Duration.seconds(5)
    /// The age at which a provider token is replaced: 20 to 60 minutes.
    public var tokenRefresh = Duration.seconds(50 * 60)
    /// The time-out of requests in flight after shutdown begins.
    public var drainTimeout = Duration.seconds(10)
    /// The name resolver; nil uses the system's.
    var resolver: (any Resolver & Sendable)?

    /// Apple's hosts, with one connection to each.
    public init(key: ProviderKey) { self.key = key }

    /// - Throws: `APNsConfigurationError` for a number that is out of its range.
    func checkRanges() throws(APNsConfigurationError) {
        guard (1...8).contains(connections) else {
            throw APNsConfigurationError(
                setting: "apns.connections", problem: "\(connections) is not from 1 to 8",
                advice: "One connection carries thousands of requests a second; use a few.")
        }
        guard (.seconds(20 * 60)...(.seconds(60 * 60))).contains(tokenRefresh) else {
            throw APNsConfigurationError(
                setting: "apns.tokenRefresh", problem: "\(tokenRefresh) is not from 20 to 60 minutes",
                advice: "APNs takes a new token every 20 minutes at most, and none older than 60.")
        }
        guard requestsWaitingMax > 0, streamsPerConnectionMax > 0 else {
            throw APNsConfigurationError(
                setting: "apns", problem: "a limit of waiting requests or streams is not above 0",
                advice: "Set it to 1 or more.")
        }
    }
}

/// A host and its port, from a URL.
struct APNsEndpoint: Hashable {
    let host: String
    let port: Int

    /// - Throws: `APNsConfigurationError` that names `setting`.
    init(_ url: String, setting: String) throws(APNsConfigurationError) {
        guard let parts = URLComponents(string: url), parts.scheme == "https", let host = parts.host, !host.isEmpty,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.user == nil,
            (1...65_535).contains(parts.port ?? 443)
        else {
            throw APNsConfigurationError(
                setting: setting, problem: "\(url.debugDescription) is no https:// address of a host",
                advice: "Use https://HOST or https://HOST:PORT; Apple listens on 443 and 2197.")
        }
        // An IPv6 address is in brackets in a URL, and nowhere else.
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = parts.port ?? 443
    }

    /// The value of `:authority`.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }
}

extension APNsEndpoint {
    /// The name for TLS; nil for an address, which a certificate is checked against without.
    var serverName: String? {
        // A text that is no IP address is a name.
        (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
    }
}
