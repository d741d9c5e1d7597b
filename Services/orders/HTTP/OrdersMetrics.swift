import DeclaredMetrics
import Metrics

/// What this service counts.
enum OrdersMetrics {
    static let ordersRefused = DeclaredMetric(
        "doorstep_orders_refused_total", help: "Orders refused because their customer has too many live deliveries.")
}
