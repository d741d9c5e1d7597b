package import Configuration
internal import Foundation
package import Logging
internal import Metrics
internal import ProcessSettings
internal import Tracing

/// A process's logging, metrics and tracing.
package struct Telemetry: Sendable {
    package let logger: Logger
    package let metrics: MetricsRegistry
    package let tracer: SpanTracer
    /// Sends spans to the collector while it runs; nil where none is set.
    package let exporter: SpanExporter?

    package init(
        logger: Logger, metrics: MetricsRegistry, tracer: SpanTracer = SpanTracer(), exporter: SpanExporter? = nil
    ) {
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
        self.exporter = exporter
    }
}

/// Sets the process's logging, metrics and tracing up; call it once, in `main`.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `log.level` | `trace`, `debug`, `info`, `notice`, `warning`, `error`, `critical` | | `info` | no |
/// | `log.format` | `json`, `text` | | `json` | no |
/// | `metrics.seriesMax` | whole number | series a metric | 1,000 | no |
///
/// ``OTLPSettings`` has the settings of traces.
/// - Throws: ``ConfigurationError``, before anything is set up.
package func bootstrapTelemetry(service: String, reading settings: ConfigReader) throws -> Telemetry {
    let level = try settings.choice("log.level", default: Logger.Level.info)
    let format = try settings.choice("log.format", default: LogFormat.json)
    let seriesMax = try settings.integer("metrics.seriesMax", in: 1...100_000, default: 1_000)
    let otlp = try OTLPSettings(reading: settings)
    let environment = try settings.deploymentEnvironment()

    LoggingSystem.bootstrap(
        { _, provider in
            LineLogHandler(
                service: service, format: format, level: level, metadataProvider: provider, wall: { Date() },
                write: writeToStandardError)
        }, metadataProvider: TraceContext.metadataProvider)
    let logger = Logger(label: service)
    let metrics = MetricsRegistry(seriesMax: seriesMax)
    metrics.addProcessMetrics(startedAt: Date(), wall: { Date() })
    MetricsSystem.bootstrap(metrics)
    let traces = otlp.map {
        TraceExport(
            $0, resource: traceResource(service: service, instance: UUID(), environment: environment),
            metrics: metrics, logger: logger)
    }
    let tracer = traces?.tracer ?? SpanTracer()
    InstrumentationSystem.bootstrap(tracer)
    return Telemetry(logger: logger, metrics: metrics, tracer: tracer, exporter: traces?.exporter)
}
