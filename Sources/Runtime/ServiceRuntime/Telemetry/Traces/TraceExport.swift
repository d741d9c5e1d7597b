internal import CoreMetrics
internal import DoorstepAPI
internal import Foundation
internal import Logging
internal import ProcessSettings

/// A tracer with the exporter of its spans.
struct TraceExport: Sendable {
    /// Spans of one request to the collector.
    ///
    /// - Source: OpenTelemetry's default, https://opentelemetry.io/docs/specs/otel/trace/sdk/#batching-processor
    static let batchMax = 512

    let tracer: SpanTracer
    let exporter: SpanExporter

    /// - Parameter resource: attributes of the process, sorted by key.
    init(
        _ settings: OTLPSettings, resource: [(key: String, value: String)], metrics: any MetricsFactory,
        logger: Logger, configuration: SpanExporter.Configuration = .init()
    ) {
        let queue = SpanQueue(spansMax: settings.queueSpansMax, batchMax: Self.batchMax, metrics: metrics)
        tracer = SpanTracer(.init(sampler: TraceSampler(share: settings.sampleShare), queue: queue))
        exporter = SpanExporter(queue, configuration: configuration, metrics: metrics, logger: logger) {
            OTLPCollector(settings, resource: resource, version: Version.current)
        }
    }
}

/// The attributes of a process in a collector, sorted by key.
///
/// - Parameter instance: distinguishes this process from every other, its predecessor included.
/// - Source: https://opentelemetry.io/docs/specs/semconv/resource/
func traceResource(
    service: String, instance: UUID, environment: DeploymentEnvironment
) -> [(key: String, value: String)] {
    [
        ("deployment.environment.name", environment.rawValue),
        ("service.instance.id", instance.uuidString.lowercased()), ("service.name", service),
        ("service.namespace", "doorstep"), ("service.version", Version.current),
    ]
}
