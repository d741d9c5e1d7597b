/// What became of a message.
public enum WebPushResult: Sendable, Hashable {
    /// The push service took it; whether a browser shows it, nobody says.
    case delivered
    /// The subscription is no more (404, 410): forget it.
    case gone
    /// The push service takes less than this (413).
    case tooLarge
    /// Too many messages in too short a time (429); how long to wait, where the answer said so, at most a day.
    case throttled(retryAfter: Duration?)
    /// The push service does not take it, and would not take it again: the request's fault, or the key's (401, 403).
    ///
    /// A redirect, which is not followed, is one of these.
    case refused(status: Int)
    /// The push service failed, or could not be reached: another time it may take it.
    case unavailable(WebPushUnavailableCause)
}

/// Why a push service gave no answer about a message.
public enum WebPushUnavailableCause: Sendable, Hashable, CustomStringConvertible {
    /// An error of the server's own (5xx); how long to wait, where the answer said so, at most a day.
    case status(Int, retryAfter: Duration?)
    /// No connection came about; it says how.
    case notConnected(String)
    /// No answer came in time.
    case timedOut
    /// The connection ended before the answer, or the answer could not be read; it says how.
    case connectionLost(String)
    /// The caller's task was cancelled.
    case cancelled
    /// As many requests are in flight as may be.
    case tooManyInFlight
    /// Shutdown was asked for before it was sent.
    case shuttingDown
    /// It could not be encrypted, or the request not signed; it says why.
    case notPrepared(String)

    /// Whether the push service may have taken the message nevertheless, so that another attempt may show it twice.
    public var mayHaveBeenAccepted: Bool {
        switch self {
        case .status, .timedOut, .connectionLost, .cancelled: true
        case .notConnected, .tooManyInFlight, .shuttingDown, .notPrepared: false
        }
    }

    /// In one line.
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
