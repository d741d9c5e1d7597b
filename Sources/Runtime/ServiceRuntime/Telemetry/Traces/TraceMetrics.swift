internal import DeclaredMetrics

/// What the export of spans counts.
enum TraceMetrics {
    static let exported = DeclaredMetric("doorstep_spans_exported_total", help: "Spans that the collector accepted.")
    static let dropped = DeclaredMetric(
        "doorstep_spans_dropped_total",
        help:
            "Spans that never reached the collector, by reason: queue_full while it is slow or away, refused by it, or shutdown before they were sent."
    )
}
