/// The result of one attempt to deliver a webhook.
public enum WebhookResult: Hashable, Sendable {
    /// - Parameters:
    ///   - excerpt: the beginning of the answer's body, for debugging; not escaped for any medium.
    ///   - retryAfter: the wait that the receiver demands.
    case answered(status: Int, excerpt: String, retryAfter: Duration?)
    case failed(WebhookFailure)
}

/// Why a receiver gave no answer.
public enum WebhookFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name resolves to a forbidden address, which is the text.
    case addressRefused(String)
    case notResolved
    case notConnected(String)
    case timedOut
    case connectionLost
    /// The process ends; nothing was sent, or the result is unknown.
    case shuttingDown

    public var description: String {
        switch self {
        case .addressRefused(let address): "the name stands for \(address), which is not a public address"
        case .notResolved: "the name cannot be looked up"
        case .notConnected(let reason): "no connection: \(reason)"
        case .timedOut: "no answer in time"
        case .connectionLost: "the connection was closed before an answer"
        case .shuttingDown: "the service is shutting down"
        }
    }
}
