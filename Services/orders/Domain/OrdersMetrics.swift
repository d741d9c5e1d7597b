import DeclaredMetrics
import Metrics
import OrderDomain

/// The service's metrics, and gauges of the deliveries that operators watch.
///
/// Every replica measures the same rows, so the gauges of deliveries are aggregated with `max`, never with `sum` over
/// instances. They have no store label: a shop names its stores, so their number is unbounded; `doorstep ops list
/// --store` shows one store's deliveries.
enum OrdersMetrics {
    static let ordersRefused = DeclaredMetric(
        "doorstep_orders_refused_total", help: "Orders refused because their customer has too many live deliveries.")
    static let changesPaced = DeclaredMetric(
        "doorstep_orders_changes_paced_total",
        help: "Changes whose response waited because their customer's deliveries change too fast.")
    static let placed = DeclaredMetric(
        "doorstep_deliveries_placed_total", help: "Deliveries of orders that were placed.")
    static let ended = DeclaredMetric(
        "doorstep_deliveries_ended_total",
        help:
            "Deliveries that ended, by status, and for delivered ones by the promised window (early, in_window, late); a reopened delivery counts at each end."
    )
    static let feedback = DeclaredMetric(
        "doorstep_deliveries_feedback_total",
        help:
            "Customers' feedback about delivered deliveries, by kind (all_right, missing, damaged, not_mine, not_here); a changed one counts again."
    )
    static let pagesOpen = DeclaredMetric(
        "doorstep_orders_pages_open", help: "Open customers' pages with live updates in this process.")
    static let toSeal = DeclaredMetric(
        "doorstep_orders_personal_data_to_seal",
        help:
            "Rows with personal data that are not sealed with the present key after the last pass; aggregate with max.")

    static let live = DeclaredMetric(
        "doorstep_deliveries_live",
        help: "Deliveries that have not ended, by phase; every replica has all of them: aggregate with max by (phase).")
    static let late = DeclaredMetric(
        "doorstep_deliveries_late",
        help: "Live deliveries whose promise has passed or is expected to be missed; aggregate with max.")
    static let atRisk = DeclaredMetric(
        "doorstep_deliveries_at_risk",
        help: "Live deliveries that are not late and may well become so, as on the board; aggregate with max.")
    static let silent = DeclaredMetric(
        "doorstep_deliveries_silent",
        help: "Live deliveries whose courier's phone has been silent for too long; aggregate with max.")
    static let unassigned = DeclaredMetric(
        "doorstep_deliveries_unassigned",
        help: "Live deliveries without a courier, by the store's status; aggregate with max by (status).")

    static func record(toSeal rows: Int, in metrics: any MetricsFactory) { toSeal.gauge(in: metrics).record(rows) }

    static func record(_ deliveries: LiveDeliveries, in metrics: any MetricsFactory) {
        for (phase, count) in deliveries.byPhase {
            live.gauge([("phase", phase.rawValue)], in: metrics).record(count)
        }
        for (status, count) in deliveries.unassigned {
            unassigned.gauge([("status", status.rawValue)], in: metrics).record(count)
        }
        late.gauge(in: metrics).record(deliveries.late)
        atRisk.gauge(in: metrics).record(deliveries.atRisk)
        silent.gauge(in: metrics).record(deliveries.silent)
    }
}
