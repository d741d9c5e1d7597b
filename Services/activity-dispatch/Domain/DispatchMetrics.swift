import DeclaredMetrics
import LiveActivity
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
        help: "Halted apps whose key or topic Apple refuses: the configured one, and any that it has accepted before.")
    static let otherCircuitsOpen = DeclaredMetric(
        "doorstep_push_circuits_of_other_apps",
        help: "Other apps that devices name, for which Apple refuses this process's key or topic; 100 at most.")
    static let cardsBehind = DeclaredMetric(
        "doorstep_cards_behind",
        help: "Cards whose sent state is not the wanted one; each replica reports all of them: aggregate with max.")
    static let cardsPastEnd = DeclaredMetric(
        "doorstep_cards_past_end",
        help:
            "Cards on a screen whose activity has ended, without those that wait for their app; aggregate with max."
    )
    static let oldestUnsent = DeclaredMetric(
        "doorstep_oldest_wanted_not_sent_seconds",
        help:
            "Domain time since the oldest card fell behind, without those that wait for their app; aggregate with max."
    )

    static let endedDeliveries = DeclaredMetric(
        "doorstep_card_deliveries",
        help:
            "Deliveries that ended in the last 24 counted hours, by store; each replica reports all: aggregate with max."
    )
    static let deliveriesWithCard = DeclaredMetric(
        "doorstep_card_deliveries_with_card",
        help: "The same deliveries that had a card on a screen, by store; aggregate with max.")
    static let cardStarts = DeclaredMetric(
        "doorstep_card_starts",
        help: "Their cards that a push to Apple started, by store; aggregate with max.")
    static let cardStartsNotSeen = DeclaredMetric(
        "doorstep_card_starts_not_seen",
        help: "Such starts that no app has reported as shown, by store; aggregate with max.")
    static let cardChanges = DeclaredMetric(
        "doorstep_card_changes",
        help: "States that a push to Apple carried to these cards, by store; aggregate with max.")
    static let cardChangesLate = DeclaredMetric(
        "doorstep_card_changes_late",
        help: "Such states that were sent late, or reported missing later, by store and cause; aggregate with max.")

    /// Records a store's totals.
    static func record(_ totals: StoreTotals, of store: String) {
        let (totals, startsShown) = (totals.counts, totals.startsShown)
        let store = ("store", store)
        endedDeliveries.gauge([store]).record(totals[.deliveries])
        deliveriesWithCard.gauge([store]).record(totals[.deliveriesWithCard])
        cardStarts.gauge([store]).record(totals[.starts])
        cardStartsNotSeen.gauge([store]).record(totals[.starts] - startsShown)
        cardChanges.gauge([store]).record(totals[.changes])
        for (cause, count) in CardTotals.lateCauses {
            cardChangesLate.gauge([store, ("cause", cause)]).record(totals[count])
        }
    }
}

/// Counts payloads that are not sent, by transport, event and fault.
///
/// Every series is exported from the start: Prometheus counts no increase of a series that appears with 1.
struct RefusedPayloadCounters: Sendable {
    private struct Key: Hashable {
        let transport: Device.Transport
        let event: Push.Event
        let fault: PayloadFault
    }

    private let counters: [Key: Counter]

    init(in factory: any MetricsFactory = MetricsSystem.factory) {
        var counters: [Key: Counter] = [:]
        for transport in Device.Transport.allCases {
            for event in Push.Event.allCases {
                for fault in PayloadFault.allCases {
                    let labels = [
                        ("transport", transport.rawValue), ("event", event.rawValue), ("fault", fault.rawValue),
                    ]
                    let key = Key(transport: transport, event: event, fault: fault)
                    counters[key] = DispatchMetrics.payloadsRefused.counter(labels, in: factory)
                }
            }
        }
        self.counters = counters
    }

    func count(_ fault: PayloadFault, of event: Push.Event, over transport: Device.Transport) {
        counters[Key(transport: transport, event: event, fault: fault)]?.increment()
    }
}

/// Counts pushes, by event, priority and result.
struct PushCounters: Sendable {
    private struct Key: Hashable {
        let event: Push.Event
        let priority: Decision.Priority
        let result: String
    }

    private let counters = MetricHandles<Key, Counter> { key in
        DispatchMetrics.pushes.counter([
            ("event", key.event.rawValue), ("priority", String(key.priority.rawValue)), ("result", key.result),
        ])
    }

    func count(_ push: Push, _ result: PushResult) {
        counters[Key(event: push.event, priority: push.priority, result: result.code)].increment()
    }
}
