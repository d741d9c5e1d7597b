public import Foundation

/// What became of a request.
public enum APNsResult: Sendable, Hashable {
    /// APNs took it; whether a phone shows it, nobody says.
    case accepted(id: UUID)
    /// APNs answered that it does not take it.
    case refused(APNsRefusal)
    /// It certainly did not count: APNs saw nothing of it, or said that it did not process it.
    case notSent(APNsNotSentCause)
    /// APNs may have taken it.
    case unknown(APNsUnknownCause)
}

/// APNs' answer to a request that it does not take.
public struct APNsRefusal: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    public var reason: APNsReason
    /// Since when the token is not valid; with ``APNsReason/unregistered`` and ``APNsReason/expiredToken`` only.
    public var since: Date?
    /// How long to wait before the next request, where the answer said so; at most a day.
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

    /// What to do about it; a reason that is not known is judged by its status.
    public var remedy: APNsRemedy { reason.remedy ?? APNsRemedy(status: status) }
}

/// Why a request did not count.
public enum APNsNotSentCause: Sendable, Hashable, CustomStringConvertible {
    /// APNs would refuse it; it says what is wrong.
    case invalidRequest(String)
    case bodyTooLarge(bytes: Int)
    /// No provider token could be signed.
    case noProviderToken(String)
    /// No connection is open and the last attempt failed; it says how.
    case noConnection(String)
    /// As many requests wait as may.
    case queueFull
    /// It got no stream in its time.
    case timedOut
    /// The caller's task was cancelled before it got a stream.
    case cancelled
    case shuttingDown
    /// APNs refused its stream without processing it.
    case streamRefused
    /// APNs is ending the connection and did not process it; its reason, where it gave one.
    case connectionClosing(reason: String?)

    /// In one line.
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

/// Why nobody knows whether a request counted.
public enum APNsUnknownCause: Sendable, Hashable, CustomStringConvertible {
    /// It was sent, and no answer came in its time.
    case timedOut
    /// The caller's task was cancelled after it was sent.
    case cancelled
    /// APNs reset its stream with this HTTP/2 error code.
    case streamReset(code: Int)
    /// The connection ended before the answer; it says how.
    case connectionLost(String)
    /// An answer came that HTTP or APNs does not know.
    case unreadableAnswer(String)
    /// The process ended before the answer.
    case shuttingDown

    /// In one line.
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
