import DeclaredMetrics
import Metrics

/// What is measured of the estimates that customers are shown.
enum EstimateMetrics {
    /// In domain seconds, as the estimates are: at a rate other than 1 they are not seconds of the clock on the wall.
    static let error = DeclaredMetric(
        "doorstep_estimate_error_seconds",
        help:
            "Domain seconds between the arrival that a customer was shown and the arrival at the door, without sign, by how long was to go (horizon) and whether the courier came early or late (arrival).",
        bounds: [15, 30, 60, 120, 180, 240, 300, 450, 600, 900, 1_800, 3_600])

    static func record(_ errors: [EstimateError], in metrics: any MetricsFactory) {
        for one in errors {
            Self.error.histogram(
                [("horizon", one.horizon.rawValue), ("arrival", one.seconds > 0 ? "late" : "early")], in: metrics
            ).record(one.seconds.magnitude)
        }
    }
}
