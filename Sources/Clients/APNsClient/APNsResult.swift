public import Foundation

/// The result of a request.
public enum APNsResult: Sendable, Hashable {
    /// APNs accepted the request; APNs does not report whether a phone shows the notification.
    case accepted(id: UUID)
    /// APNs refused the request.
    case refused(APNsRefusal)
    /// APNs certainly did not process the request: the request never reached APNs, or APNs reported that it did not
    /// process it.
    case notSent(APNsNotSentCause)
    /// APNs may have accepted the request.
    case unknown(APNsUnknownCause)
}

/// APNs' answer to a refused request.
public struct APNsRefusal: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    public var reason: APNsReason
    /// Since when the token is not valid; with ``APNsReason/unregistered`` and ``APNsReason/expiredToken`` only.
    public var since: Date?
    /// The wait before the next request, where APNs sent `Retry-After`; at most a day.
    public var retryAfter: Duration?
    /// APNs' clock when it answered.
    public var serverDate: Date?

    public init(
        status: Int, reason: APNsReason, since: Date? = nil, retryAfter: Duration? = nil, serverDate: Date? = nil
    ) {
        self.status = status
        self.reason = reason
        self.since = since
        self.retryAfter = retryAfter
        self.serverDate = serverDate
    }

    /// The remedy; an unknown reason is judged by its status.
    public var remedy: APNsRemedy { reason.remedy ?? APNsRemedy(status: status) }
}

/// Why a request did not count.
public enum APNsNotSentCause: Sendable, Hashable, CustomStringConvertible {
    /// APNs would refuse the request; the text is the fault.
    case invalidRequest(String)
    case bodyTooLarge(bytes: Int)
    /// No provider token could be signed.
    case noProviderToken(String)
    /// No connection is open and the last attempt failed; the text is its error.
    case noConnection(String)
    /// The queue has reached its limit of waiting requests.
    case queueFull
    /// The request got no stream within its time-out.
    case timedOut
    /// The caller's task was cancelled before it got a stream.
    case cancelled
    case shuttingDown
    /// APNs refused its stream without processing it.
    case streamRefused
    /// APNs is ending the connection and did not process it; its reason, where it gave one.
    case connectionClosing(reason: String?)

    /// A description in one line.
    public var description: String {
        switch self {
        case .invalidRequest(let fault): "the request is not valid: \(fault)"
        case .bodyTooLarge(let bytes): "the body has \(bytes) bytes, APNs takes \(APNsRequest.bodyBytesMax)"
        case .noProviderToken(let reason): "no provider token could be signed: \(reason)"
        case .noConnection(let reason): "there is no connection to APNs: \(reason)"
        case .queueFull: "too many requests wait for APNs already"
        case .timedOut: "no stream was free in time"
        case .cancelled: "it was cancelled before it was sent"
        case .shuttingDown: "the process is shutting down"
        case .streamRefused: "APNs refused the stream"
        case .connectionClosing(let reason): "APNs is closing the connection\(reason.map { ": \($0)" } ?? "")"
        }
    }
}

/// Why the outcome of a request is unknown.
public enum APNsUnknownCause: Sendable, Hashable, CustomStringConvertible {
    /// The request was sent, and no answer came within its time-out.
    case timedOut
    /// The caller's task was cancelled after it was sent.
    case cancelled
    /// APNs reset its stream with this HTTP/2 error code.
    case streamReset(code: Int)
    /// The connection ended before the answer; the text is the cause.
    case connectionLost(String)
    /// An answer came that HTTP or APNs does not know.
    case unreadableAnswer(String)
    /// The process ended before the answer.
    case shuttingDown

    /// A description in one line.
    public var description: String {
        switch self {
        case .timedOut: "no answer came in time"
        case .cancelled: "it was cancelled after it was sent"
        case .streamReset(let code): "APNs reset the stream with code \(code)"
        case .connectionLost(let reason): "the connection ended before the answer: \(reason)"
        case .unreadableAnswer(let answer): "APNs' answer cannot be read: \(answer)"
        case .shuttingDown: "the process shut down before the answer"
        }
    }
}
