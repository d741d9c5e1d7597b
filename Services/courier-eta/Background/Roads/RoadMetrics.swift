import DeclaredMetrics

/// What requests to the road engine count.
enum RoadMetrics {
    static let requests = DeclaredMetric(
        "doorstep_road_requests_total", help: "Requests to the road engine, by outcome.")
    static let breakerOpen = DeclaredMetric(
        "doorstep_road_breaker_open", help: "1 while the circuit breaker of a vehicle keeps requests back, else 0.")
}
