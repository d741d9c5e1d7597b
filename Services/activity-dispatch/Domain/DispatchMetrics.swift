import DeclaredMetrics
import Metrics

/// The service's metrics.
enum DispatchMetrics {
    static let budgetExhausted = DeclaredMetric(
        "doorstep_budget_exhausted_total", help: "Pushes that waited because their card's budget was used up.")
    static let deviceFaults = DeclaredMetric(
        "doorstep_device_faults_total", help: "Attempts to reconcile a device that failed because of its own data.")
    static let payloadsRefused = DeclaredMetric(
        "doorstep_payloads_refused_total",
        help: "Payloads not sent because no phone could decode them, by transport, event and fault.")
    static let buttonsDropped = DeclaredMetric(
        "doorstep_buttons_dropped_total",
        help: "Buttons removed because their link has a foreign origin, by writer of the intent.")
    static let streamsOpen = DeclaredMetric(
        "doorstep_device_streams_open", help: "Device streams that are open in this process.")
    static let pushes = DeclaredMetric(
        "doorstep_pushes_total", help: "Pushes that were sent, by event, priority and result.")
    static let circuitsOpen = DeclaredMetric(
        "doorstep_push_circuits_open",
        help: "Apps whose pushes are halted, since Apple refuses this process's key or topic for them.")
    static let cardsBehind = DeclaredMetric(
        "doorstep_cards_behind",
        help: "Cards whose sent state is not the wanted one; each replica reports all of them: aggregate with max.")
    static let cardsPastEnd = DeclaredMetric(
        "doorstep_cards_past_end",
        help: "Cards that are still on a screen though their activity has ended; aggregate with max.")
    static let oldestUnsent = DeclaredMetric(
        "doorstep_oldest_wanted_not_sent_seconds",
        help: "Domain time since the card that is behind for longest fell behind; 0 when none is; aggregate with max.")

    static func countPush(_ push: Push, _ result: PushResult) {
        pushes.counter([
            ("event", push.event.rawValue), ("priority", String(push.priority.rawValue)), ("result", result.code),
        ]).increment()
    }
}
