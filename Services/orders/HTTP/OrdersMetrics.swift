import DeclaredMetrics
import Metrics

/// What this service counts.
enum OrdersMetrics {
    static let ordersRefused = DeclaredMetric(
        "doorstep_orders_refused_total", help: "Orders refused because their customer has too many live deliveries.")
    static let changesPaced = DeclaredMetric(
        "doorstep_orders_changes_paced_total",
        help: "Changes whose response waited because their customer's deliveries change too fast.")
    static let pagesOpen = DeclaredMetric(
        "doorstep_orders_pages_open", help: "Customers' pages that are open here and change by themselves.")
}
