package import Configuration
internal import ProcessSettings

/// The limits and time-outs of a service's HTTP port.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `http.host` | address to listen on | | `127.0.0.1` | no |
/// | `http.port` | whole number; 0 binds any free port | | the service's | no |
/// | `http.bodyBytesMax` | whole number | bytes | 262,144 | no |
/// | `http.inFlightRequestsMax` | whole number; one more is refused with 503 | | 256 | no |
/// | `http.callerInFlightRequestsMax` | whole number; one more of a caller is refused with 429 | | 128 | no |
/// | `http.heldBodyBytesMax` | whole number; more of unanswered requests is refused with 503 | bytes | 67,108,864 | no |
/// | `http.callerHeldBodyBytesMax` | whole number; more of a caller is refused with 429 | bytes | 16,777,216 | no |
/// | `http.callerBodyBytesPerSecond` | number; large bodies of a caller that come faster wait | bytes/s | 1,048,576 | no |
/// | `http.callerBodyBurstBytes` | whole number; large bodies that a caller may send at once | bytes | 4,194,304 | no |
/// | `http.connectionsMax` | whole number; a further one replaces the longest idle one | | 4,096 | no |
/// | `http.addressConnectionsMax` | the same, of one address | | 2,048 | no |
/// | `http.trustedProxies` | addresses or networks, separated by commas; their `X-Forwarded-For` is believed | | none | no |
/// | `http.bodyTimeoutSeconds` | number; a slower body is refused with 408 | s | 10 | no |
/// | `http.callerRequestsPerSecond` | number; above it 429 | requests of all tokens of one role, subject and store, or of an address | 200 | no |
/// | `http.callerBurst` | whole number | requests at once | 400 | no |
/// | `http.callersMax` | whole number; callers whose rate is remembered | | 10,000 | no |
/// | `http.loggedRequestsPerSecond` | whole number; logged successful requests per second | | 20 | no |
/// | `http.idleTimeoutSeconds` | number; an idle connection is closed after it | s | 75 | no |
/// | `drain.timeout.seconds` | number; work that still runs then is cancelled | s | 20 | no |
package struct HTTPConfiguration: Sendable {
    package var host = "127.0.0.1"
    package var port = 8080
    package var bodyBytesMax = bodyBytesMaxStandard
    package var inFlightRequestsMax = 256
    package var callerInFlightRequestsMax = 128
    package var heldBodyBytesMax = 64 * 1_024 * 1_024
    package var callerHeldBodyBytesMax = 16 * 1_024 * 1_024
    package var callerBodyBytesPerSecond = 1_048_576.0
    package var callerBodyBurstBytes = 4 * 1_024 * 1_024
    package var connectionsMax = 4_096
    package var addressConnectionsMax = 2_048
    var trustedProxies = TrustedProxies.none
    package var bodyTimeout: Duration = .seconds(10)
    package var callerRequestsPerSecond = 200.0
    package var callerBurst = 400
    package var callersMax = 10_000
    package var loggedRequestsPerSecond = 20
    package var idleTimeout: Duration = .seconds(75)
    package var drainTimeout: Duration = .seconds(20)

    package init() {}

    /// - Throws: ``ConfigurationError``.
    package init(reading settings: ConfigReader) throws {
        host = try settings.text("http.host") ?? host
        port = try settings.integer("http.port", in: 0...65_535, default: port)
        bodyBytesMax = try settings.integer("http.bodyBytesMax", in: 1_024...67_108_864, default: bodyBytesMax)
        inFlightRequestsMax = try settings.integer(
            "http.inFlightRequestsMax", in: 1...100_000, default: inFlightRequestsMax)
        callerInFlightRequestsMax = try settings.integer(
            "http.callerInFlightRequestsMax", in: 1...100_000, default: callerInFlightRequestsMax)
        heldBodyBytesMax = try settings.integer(
            "http.heldBodyBytesMax", in: 1_024...(1 << 40), default: heldBodyBytesMax)
        callerHeldBodyBytesMax = try settings.integer(
            "http.callerHeldBodyBytesMax", in: 1_024...(1 << 40), default: callerHeldBodyBytesMax)
        callerBodyBytesPerSecond = try settings.positiveNumber(
            "http.callerBodyBytesPerSecond", default: callerBodyBytesPerSecond)
        callerBodyBurstBytes = try settings.integer(
            "http.callerBodyBurstBytes", in: 1_024...(1 << 40), default: callerBodyBurstBytes)
        connectionsMax = try settings.integer("http.connectionsMax", in: 1...1_000_000, default: connectionsMax)
        addressConnectionsMax = try settings.integer(
            "http.addressConnectionsMax", in: 1...1_000_000, default: addressConnectionsMax)
        let proxies = try settings.texts("http.trustedProxies") ?? []
        guard let trusted = TrustedProxies(proxies) else {
            throw ConfigurationError(
                key: "http.trustedProxies",
                problem: "is \"\(proxies.joined(separator: ","))\", not addresses or networks separated by commas",
                fix: "correct \(waysToSet("http.trustedProxies"))")
        }
        trustedProxies = trusted
        bodyTimeout = try settings.seconds("http.bodyTimeoutSeconds", in: 1...600, default: bodyTimeout)
        callerRequestsPerSecond = try settings.positiveNumber(
            "http.callerRequestsPerSecond", default: callerRequestsPerSecond)
        callerBurst = try settings.integer("http.callerBurst", in: 1...1_000_000, default: callerBurst)
        callersMax = try settings.integer("http.callersMax", in: 1...1_000_000, default: callersMax)
        loggedRequestsPerSecond = try settings.integer(
            "http.loggedRequestsPerSecond", in: 0...1_000_000, default: loggedRequestsPerSecond)
        idleTimeout = try settings.seconds("http.idleTimeoutSeconds", in: 1...3_600, default: idleTimeout)
        drainTimeout = try settings.drainTimeout()
    }
}

extension ConfigReader {
    /// The time for running work after a process begins to stop: `drain.timeout.seconds`, 20 by default.
    /// - Throws: ``ConfigurationError`` for a value outside 0 to 600.
    package func drainTimeout() throws -> Duration {
        try seconds("drain.timeout.seconds", in: 0...600, default: .seconds(20))
    }
}
