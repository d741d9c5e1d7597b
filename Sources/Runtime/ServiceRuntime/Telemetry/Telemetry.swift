package import Configuration
internal import Foundation
package import Logging
internal import Metrics
internal import ProcessSettings
internal import Tracing

/// A process's logging and metrics.
package struct Telemetry: Sendable {
    package let logger: Logger
    package let metrics: MetricsRegistry
}

/// Sets the process's logging, metrics and tracing up; call it once, in `main`.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `log.level` | `trace`, `debug`, `info`, `notice`, `warning`, `error`, `critical` | | `info` | no |
/// | `log.format` | `json`, `text` | | `json` | no |
/// | `metrics.seriesMax` | whole number | series a metric | 1,000 | no |
///
/// - Throws: ``ConfigurationError``; nothing has been set up then.
package func bootstrapTelemetry(service: String, reading settings: ConfigReader) throws -> Telemetry {
    let level = try settings.choice("log.level", default: Logger.Level.info)
    let format = try settings.choice("log.format", default: LogFormat.json)
    let seriesMax = try settings.integer("metrics.seriesMax", in: 1...100_000, default: 1_000)

    LoggingSystem.bootstrap(
        { _, provider in
            LineLogHandler(
                service: service, format: format, level: level, metadataProvider: provider, wall: { Date() },
                write: writeToStandardError)
        }, metadataProvider: TraceContext.metadataProvider)
    let metrics = MetricsRegistry(seriesMax: seriesMax)
    metrics.addProcessMetrics(startedAt: Date(), wall: { Date() })
    MetricsSystem.bootstrap(metrics)
    InstrumentationSystem.bootstrap(TraceInstrument())
    return Telemetry(logger: Logger(label: service), metrics: metrics)
}
