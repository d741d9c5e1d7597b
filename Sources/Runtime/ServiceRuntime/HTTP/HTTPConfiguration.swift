package import Configuration
internal import ProcessSettings

/// How a service's HTTP port behaves.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `http.host` | address to listen on | | `127.0.0.1` | no |
/// | `http.port` | whole number; 0 takes any that is free | | the service's | no |
/// | `http.bodyBytesMax` | whole number | bytes | 262,144 | no |
/// | `http.inFlightRequestsMax` | whole number; one more is refused with 503 | | 256 | no |
/// | `http.connectionsMax` | whole number; one more waits in the listen queue | | 4,096 | no |
/// | `http.callerRequestsPerSecond` | number; above it 429 | requests of a token, or of an address without one | 200 | no |
/// | `http.callerBurst` | whole number | requests at once | 400 | no |
/// | `http.callersMax` | whole number; callers whose rate is remembered | | 10,000 | no |
/// | `http.idleTimeoutSeconds` | number; a connection without a request is closed then | s | 75 | no |
/// | `drain.timeout.seconds` | number; what still runs then is cancelled | s | 20 | no |
package struct HTTPConfiguration: Sendable {
    package var host = "127.0.0.1"
    package var port = 8080
    package var bodyBytesMax = bodyBytesMaxStandard
    package var inFlightRequestsMax = 256
    package var connectionsMax = 4_096
    package var callerRequestsPerSecond = 200.0
    package var callerBurst = 400
    package var callersMax = 10_000
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
        connectionsMax = try settings.integer("http.connectionsMax", in: 1...1_000_000, default: connectionsMax)
        callerRequestsPerSecond = try settings.positiveNumber(
            "http.callerRequestsPerSecond", default: callerRequestsPerSecond)
        callerBurst = try settings.integer("http.callerBurst", in: 1...1_000_000, default: callerBurst)
        callersMax = try settings.integer("http.callersMax", in: 1...1_000_000, default: callersMax)
        idleTimeout = try settings.seconds("http.idleTimeoutSeconds", in: 1...3_600, default: idleTimeout)
        drainTimeout = try settings.drainTimeout()
    }
}

extension ConfigReader {
    /// How long running work may take once a process was asked to stop: `drain.timeout.seconds`, 20 unless set.
    package func drainTimeout() throws -> Duration {
        try seconds("drain.timeout.seconds", in: 0...600, default: .seconds(20))
    }
}
