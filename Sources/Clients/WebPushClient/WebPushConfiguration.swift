internal import NIOSSL

/// The VAPID key, trusted certificates, and time-outs.
///
/// | Key | Type | Default | Secret |
/// |---|---|---|---|
/// | `web.push.key.file` | path of a PEM file with a private key of P-256 | none | its content |
/// | `web.push.contact` | `mailto:` address or `https://` URL | none | |
/// | `web.push.trust.roots.file` | path of a PEM file with certificates | the system's | |
public struct WebPushConfiguration: Sendable {
    /// The key that requests are signed with.
    public var key: VAPIDKey
    /// Certificates to trust in place of the system's.
    public var trustRootsFile: String?
    /// The time-out of name look-up, TCP and TLS together.
    public var connectTimeout = Duration.seconds(5)
    /// The time-out of a message, its connection included; at least a millisecond.
    public var requestTimeout = Duration.seconds(10)
    /// The most messages in flight; further ones are not sent.
    public var requestsInFlightMax = 1_000
    /// Connections to a push service that speaks no HTTP/2.
    public var connectionsPerHostMax = 8
    /// The time for which an idle connection is kept.
    public var idleTimeout = Duration.seconds(60)

    /// Patience for services of browsers' makers, which answer in a fraction of a second.
    public init(key: VAPIDKey) { self.key = key }

    /// - Throws: `WebPushConfigurationError` for a number that is out of its range.
    func checkRanges() throws(WebPushConfigurationError) {
        guard requestsInFlightMax > 0, connectionsPerHostMax > 0 else {
            throw WebPushConfigurationError(
                setting: "web.push", problem: "a limit of requests or connections is not above 0",
                advice: "Set it to 1 or more.")
        }
        guard connectTimeout >= .milliseconds(1), requestTimeout >= .milliseconds(1), idleTimeout >= .milliseconds(1)
        else {
            throw WebPushConfigurationError(
                setting: "web.push", problem: "a time-out is below a millisecond", advice: "Set it to some seconds.")
        }
    }

    /// The TLS verification of servers.
    /// - Throws: `WebPushConfigurationError` where the certificates to trust cannot be read.
    func tls() throws(WebPushConfigurationError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let trustRootsFile { tls.trustRoots = .file(trustRootsFile) }
        do {
            // The HTTP client makes its own context at the first connection: too late to report a fault at the start.
            _ = try NIOSSLContext(configuration: tls)
        } catch {
            throw WebPushConfigurationError(
                setting: "web.push.trust.roots.file",
                problem: trustRootsFile.map { "the certificates in \($0) cannot be read" }
                    ?? "TLS cannot be set up: \(error)",
                advice: "Give the path of a PEM file with the certificates to trust, or leave it out.")
        }
        return tls
    }
}

/// A setting that no message can be sent with.
public struct WebPushConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The setting's name.
    public let setting: String
    public let problem: String
    /// The remedy, for the operator.
    public let advice: String

    /// A description in one line.
    public var description: String { "\(setting): \(problem). \(advice)" }
}
