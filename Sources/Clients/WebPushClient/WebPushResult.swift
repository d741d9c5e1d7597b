/// The result of sending a message.
public enum WebPushResult: Sendable, Hashable {
    /// The push service accepted the message; the service does not report whether a browser shows it.
    case delivered
    /// The subscription no longer exists (404, 410): delete it.
    case gone
    /// The push service accepts only smaller messages (413).
    case tooLarge
    /// Too many messages in too short a time (429, or a 406 that demands a pause), with the wait where the answer has
    /// one, at most a day.
    case throttled(retryAfter: Duration?)
    /// The push service rejects the request for good: a fault of the request or of the key (401, 403).
    ///
    /// A redirect, which is not followed, is one of these.
    case refused(status: Int)
    /// The push service failed or was unreachable: a later attempt may succeed.
    case unavailable(WebPushUnavailableCause)
}

/// Why a push service gave no answer about a message.
public enum WebPushUnavailableCause: Sendable, Hashable, CustomStringConvertible {
    /// A server error (5xx), with the wait where the answer has one, at most a day.
    case status(Int, retryAfter: Duration?)
    /// No connection was established; the text is the cause.
    case notConnected(String)
    /// No answer came in time.
    case timedOut
    /// The connection ended before the answer, or the answer was unreadable; the text is the cause.
    case connectionLost(String)
    /// The caller's task was cancelled.
    case cancelled
    /// The limit of requests in flight was reached.
    case tooManyInFlight
    /// Shutdown was asked for before it was sent.
    case shuttingDown
    /// Encryption or signing failed; the text is the cause.
    case notPrepared(String)

    /// Whether the push service may have accepted the message nevertheless, so that another attempt may show it twice.
    public var mayHaveBeenAccepted: Bool {
        switch self {
        case .status, .timedOut, .connectionLost, .cancelled: true
        case .notConnected, .tooManyInFlight, .shuttingDown, .notPrepared: false
        }
    }

    /// A description in one line.
    public var description: String {
        switch self {
        case .status(let status, _): "the push service answered \(status)"
        case .notConnected(let reason): "there is no connection to the push service: \(reason)"
        case .timedOut: "no answer came in time"
        case .connectionLost(let reason): "the connection ended before the answer: \(reason)"
        case .cancelled: "it was cancelled"
        case .tooManyInFlight: "too many requests are in flight already"
        case .shuttingDown: "the process is shutting down"
        case .notPrepared(let reason): "the request could not be made: \(reason)"
        }
    }
}
