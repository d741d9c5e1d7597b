internal import DeclaredMetrics

/// What every service's HTTP port counts.
enum HTTPMetrics {
    static let requests = DeclaredMetric(
        "doorstep_http_requests_total", help: "Responses by method, route pattern and status.")
    static let duration = DeclaredMetric(
        "doorstep_http_request_duration_seconds",
        help: "Time from a request's head to its response's head, by method and route pattern.")
    static let inFlight = DeclaredMetric(
        "doorstep_http_requests_in_flight", help: "Requests without a response yet, probes and metrics left out.")
}
