import DeclaredMetrics
import Metrics

/// The service's metrics.
enum WebhookMetrics {
    static let received = DeclaredMetric(
        "doorstep_provider_events_total",
        help:
            "Events of providers by provider and outcome: applied, waiting for their delivery, quarantined, unreadable, or a repeat."
    )
    static let unknown = DeclaredMetric(
        "doorstep_provider_events_unknown_total",
        help: "Events of providers whose meaning this version does not know, by provider.")
    static let refused = DeclaredMetric(
        "doorstep_provider_webhooks_refused_total",
        help:
            "Rejected webhooks of providers, by provider and reason: missing, wrong, too_old or too_new proof, a body that is too large or of an unsupported kind."
    )
    static let kept = DeclaredMetric(
        "doorstep_provider_events_for_people",
        help:
            "Events of providers without an effect or dismissal, by reason: waiting, quarantined, unreadable, or unknown; aggregate with max."
    )
    static let attempts = DeclaredMetric(
        "doorstep_webhook_attempts_total",
        help: "Attempts to deliver events, by outcome: delivered, failed, throttled or gone.")
    static let attemptSeconds = DeclaredMetric(
        "doorstep_webhook_attempt_seconds", help: "Wall time from an attempt's beginning to its answer.")
    static let waiting = DeclaredMetric(
        "doorstep_webhooks_waiting",
        help: "Unsent events, of one endpoint 100,000 at most; aggregate with max.")
    static let oldest = DeclaredMetric(
        "doorstep_webhooks_oldest_due_seconds",
        help:
            "Domain time since the due time of the oldest event that waits for an enabled endpoint; 0 without one; aggregate with max."
    )
    static let endpoints = DeclaredMetric(
        "doorstep_webhook_endpoints",
        help: "Webhook endpoints by state: enabled, failing, or disabled by their answers; aggregate with max.")
    static let missedVersions = DeclaredMetric(
        "doorstep_webhook_versions_missed_total",
        help: "Versions of deliveries whose messages were lost, by outcome: fetched from orders, or gone.")
    static let listeners = DeclaredMetric(
        "doorstep_webhook_listeners_open", help: "Programs that follow events by a stream of this process.")

    /// Exports each outcome of attempts with 0: Prometheus counts no increase of a series that appears with 1.
    static func exportAttempts() {
        for outcome in [AttemptOutcome.delivered, .gone, .throttled(seconds: nil), .failed] {
            _ = attempts.counter([("outcome", outcome.code)])
        }
    }

    static func record(_ outcome: AttemptOutcome, milliseconds: Int) {
        attempts.counter([("outcome", outcome.code)]).increment()
        attemptSeconds.timer().recordMilliseconds(milliseconds)
    }
}
