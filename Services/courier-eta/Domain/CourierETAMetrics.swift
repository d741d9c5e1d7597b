import DeclaredMetrics
import Metrics

/// The service's metrics.
enum CourierETAMetrics {
    static let fixesAccepted = DeclaredMetric(
        "doorstep_fixes_accepted_total", help: "Fixes that were stored, by tracker app.")
    static let fixesIgnored = DeclaredMetric(
        "doorstep_fixes_ignored_total", help: "Fixes that were not stored, by tracker app and reason.")
    static let phonesRefused = DeclaredMetric(
        "doorstep_phones_refused_total", help: "Requests of phones without a valid token, by reason.")
    static let roadRequests = DeclaredMetric(
        "doorstep_road_requests_total", help: "Requests to the road engine, by outcome.")
    static let roadBreakerOpen = DeclaredMetric(
        "doorstep_road_breaker_open", help: "1 while the circuit breaker of a vehicle keeps requests back, else 0.")
    static let completedLegs = DeclaredMetric(
        "doorstep_completed_legs_total", help: "Ended deliveries that were summarized for training, by outcome.")
    /// In domain seconds, like the estimates: at a rate other than 1 these differ from wall seconds.
    static let estimateError = DeclaredMetric(
        "doorstep_estimate_error_seconds",
        help:
            "Domain seconds between the shown arrival and the arrival at the door, without sign, by the time left when shown or last (horizon) and whether the courier came early or late (arrival).",
        bounds: [15, 30, 60, 120, 180, 240, 300, 450, 600, 900, 1_800, 3_600])

    static func record(_ errors: [EstimateError], in metrics: any MetricsFactory) {
        for one in errors {
            estimateError.histogram(
                [("horizon", one.horizon.rawValue), ("arrival", one.seconds > 0 ? "late" : "early")], in: metrics
            ).record(one.seconds.magnitude)
        }
    }
}
