internal import DeclaredMetrics

/// The metrics of every service's HTTP port.
enum HTTPMetrics {
    static let ready = DeclaredMetric(
        "doorstep_ready", help: "1 where the process is ready to serve, 0 where a required check fails or it drains.")
    static let degraded = DeclaredMetric(
        "doorstep_degraded", help: "1 where the process serves without a dependency, by its check; 0 where it has it.")
    static let requests = DeclaredMetric(
        "doorstep_http_requests_total", help: "Responses by method, route pattern and status.")
    static let duration = DeclaredMetric(
        "doorstep_http_request_duration_seconds",
        help: "Time from a request's head to its response's head, by method and route pattern.")
    static let inFlight = DeclaredMetric(
        "doorstep_http_requests_in_flight", help: "Requests in flight, without probes and metrics.")
    static let refused = DeclaredMetric(
        "doorstep_http_requests_refused_total",
        help: "Requests refused for a limit, by reason, such as slots, rate, body_bytes, caller_body_rate, bad_tokens.")
    static let heldBodyBytes = DeclaredMetric(
        "doorstep_http_body_bytes_held",
        help: "Bytes of bodies of unanswered requests, without the first 16 KiB of each.")
    static let pacedBodyBytes = DeclaredMetric(
        "doorstep_http_body_bytes_paced_total",
        help: "Bytes of large bodies that waited because their caller sends faster than its share.")
    static let connections = DeclaredMetric(
        "doorstep_http_connections_open", help: "Connections that are open.")
    static let connectionsClosed = DeclaredMetric(
        "doorstep_http_connections_closed_total",
        help: "Connections closed for a limit, by reason: idle ones that gave way, and new ones that were refused.")
}
