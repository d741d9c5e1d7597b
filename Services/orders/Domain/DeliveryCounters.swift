import DeclaredMetrics
import LiveActivity
import Messages
import Metrics
import OrderDomain

/// Counts placed and ended deliveries, and customers' feedback.
struct DeliveryCounters: Sendable {
    private struct End: Hashable {
        let status: StatusCode
        let window: String
    }

    private let placed: Counter
    private let ended: MetricHandles<End, Counter>
    private let feedback: MetricHandles<DeliveryFeedback.Kind, Counter>

    init(in metrics: any MetricsFactory) {
        placed = OrdersMetrics.placed.counter(in: metrics)
        ended = MetricHandles { end in
            OrdersMetrics.ended.counter([("status", end.status.rawValue), ("window", end.window)], in: metrics)
        }
        feedback = MetricHandles { OrdersMetrics.feedback.counter([("kind", $0.rawValue)], in: metrics) }
    }

    /// Counts a customer's feedback; one that is changed counts again.
    func countFeedback(_ kind: DeliveryFeedback.Kind) { feedback[kind].increment() }

    func countPlaced(_ count: Int) { placed.increment(by: count) }

    /// Counts a delivery that has just ended.
    func countEnded(_ delivery: Delivery) {
        ended[End(status: delivery.status.code, window: window(of: delivery))].increment()
    }

    /// `none` for an end that is no hand-over at the customer's door.
    private func window(of delivery: Delivery) -> String {
        guard delivery.status == .handedOver(.delivered), let endedAt = delivery.endedAt else { return "none" }
        return switch Punctuality(of: endedAt, in: delivery.originalPromise) {
        case .early: "early"
        case .asPromised: "in_window"
        case .late: "late"
        }
    }
}
