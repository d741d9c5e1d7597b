internal import DeclaredMetrics
internal import Metrics

/// The client's metrics.
enum APNsMetrics {
    static let requests = DeclaredMetric(
        "doorstep_apns_requests_total",
        help: "Requests to APNs by environment, outcome (accepted, refused, not_sent, unknown) and cause of it.")
    static let connectionsOpen = DeclaredMetric(
        "doorstep_apns_connections_open", help: "Connections to APNs that accept requests, by environment.")
    static let connectionsFailed = DeclaredMetric(
        "doorstep_apns_connections_failed_total",
        help: "Connections to APNs that could not be opened or broke, by environment.")
    static let backingOff = DeclaredMetric(
        "doorstep_apns_connections_backing_off",
        help: "Connections to APNs that failed and are not open again, by environment.")
    static let requestsWaiting = DeclaredMetric(
        "doorstep_apns_requests_waiting", help: "Requests that wait for a free stream, by environment.")
    static let tokensSigned = DeclaredMetric(
        "doorstep_apns_provider_tokens_signed_total", help: "Provider tokens that were signed.")
    static let clockSkew = DeclaredMetric(
        "doorstep_apns_clock_skew_seconds",
        help:
            "How far this machine's clock was ahead of APNs' when it last refused a young token; 0 once it accepts one."
    )
}

/// Counts the requests of one environment by outcome and cause.
final class RequestCounters: Sendable {
    private struct Outcome: Hashable {
        let name: String
        let cause: String
    }

    private let counters: MetricHandles<Outcome, Counter>
    private let accepted: Counter

    init(_ environment: APNsEnvironment) {
        // Known from the start: results come on threads of their own.
        let factory = MetricsSystem.factory
        counters = MetricHandles { outcome in
            APNsMetrics.requests.counter(
                [("environment", environment.rawValue), ("outcome", outcome.name), ("cause", outcome.cause)],
                in: factory)
        }
        accepted = counters[Outcome(name: "accepted", cause: "none")]
    }

    func count(_ result: APNsResult) {
        let outcome: Outcome
        switch result {
        case .accepted: return accepted.increment()
        case .refused(let refusal): outcome = Outcome(name: "refused", cause: refusal.remedy.rawValue)
        case .notSent(let cause): outcome = Outcome(name: "not_sent", cause: cause.label)
        case .unknown(let cause): outcome = Outcome(name: "unknown", cause: cause.label)
        }
        counters[outcome].increment()
    }
}

extension APNsNotSentCause {
    fileprivate var label: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .bodyTooLarge: "body_too_large"
        case .noProviderToken: "no_provider_token"
        case .noConnection: "no_connection"
        case .queueFull: "queue_full"
        case .timedOut: "timed_out"
        case .cancelled: "cancelled"
        case .shuttingDown: "shutting_down"
        case .streamRefused: "stream_refused"
        case .connectionClosing: "connection_closing"
        }
    }
}

extension APNsUnknownCause {
    fileprivate var label: String {
        switch self {
        case .timedOut: "timed_out"
        case .cancelled: "cancelled"
        case .streamReset: "stream_reset"
        case .connectionLost: "connection_lost"
        case .unreadableAnswer: "unreadable_answer"
        case .shuttingDown: "shutting_down"
        }
    }
}
