internal import CoreMetrics
internal import DeclaredMetrics
internal import Metrics

/// The client's metrics.
///
/// No label names the push service, which subscribers choose.
enum WebPushMetrics {
    static let requests = DeclaredMetric(
        "doorstep_web_push_requests_total",
        help: "Messages to push services by outcome (delivered, gone, too_large, throttled, refused, unavailable).")
    static let duration = DeclaredMetric(
        "doorstep_web_push_request_seconds",
        help: "Seconds from handing a request over to the push service's answer, or to the time-out.")
    static let tokensSigned = DeclaredMetric(
        "doorstep_web_push_tokens_signed_total",
        help: "VAPID tokens that were signed; a few a day for each push service.")
}

/// Counts messages by result.
final class MessageCounters: Sendable {
    private struct Outcome: Hashable {
        let name: String
        let cause: String
    }

    private let counters: MetricHandles<Outcome, Counter>
    private let duration: CoreMetrics.Timer

    init() {
        // Known from the start: results come on threads of their own.
        let factory = MetricsSystem.factory
        counters = MetricHandles { outcome in
            WebPushMetrics.requests.counter([("outcome", outcome.name), ("cause", outcome.cause)], in: factory)
        }
        duration = WebPushMetrics.duration.timer(in: factory)
    }

    func count(_ result: WebPushResult) { counters[Outcome(name: result.label, cause: result.cause)].increment() }

    func time(_ elapsed: Duration) { duration.record(duration: elapsed) }
}

extension WebPushResult {
    fileprivate var label: String {
        switch self {
        case .delivered: "delivered"
        case .gone: "gone"
        case .tooLarge: "too_large"
        case .throttled: "throttled"
        case .refused: "refused"
        case .unavailable: "unavailable"
        }
    }

    /// The cause from a closed list, whatever a server answers.
    fileprivate var cause: String {
        switch self {
        case .delivered, .gone, .tooLarge, .throttled: "none"
        case .refused(status: 400): "bad_request"
        case .refused(status: 401), .refused(status: 403): "authentication"
        case .refused(status: 300..<400): "redirect"
        case .refused: "other_status"
        case .unavailable(.status): "server_error"
        case .unavailable(.notConnected): "not_connected"
        case .unavailable(.timedOut): "timed_out"
        case .unavailable(.connectionLost): "connection_lost"
        case .unavailable(.cancelled): "cancelled"
        case .unavailable(.tooManyInFlight): "too_many_in_flight"
        case .unavailable(.shuttingDown): "shutting_down"
        case .unavailable(.notPrepared): "not_prepared"
        }
    }
}
