internal import DeclaredMetrics

/// The metrics of the span export.
enum TraceMetrics {
    static let exported = DeclaredMetric("doorstep_spans_exported_total", help: "Spans that the collector accepted.")
    static let dropped = DeclaredMetric(
        "doorstep_spans_dropped_total",
        help:
            "Spans that never reached the collector, by reason: queue_full, refused by the collector, or shutdown before sending."
    )
}
