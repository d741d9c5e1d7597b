/// What became of one attempt to deliver a webhook.
public enum WebhookResult: Hashable, Sendable {
    /// - Parameters:
    ///   - excerpt: the beginning of the answer's body, for whoever looks for the reason; not safe in any medium.
    ///   - retryAfter: how long the receiver wants not to be asked again.
    case answered(status: Int, excerpt: String, retryAfter: Duration?)
    case failed(WebhookFailure)
}

/// Why a receiver gave no answer.
public enum WebhookFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name stands for an address that no webhook is sent to, which is in the text.
    case addressRefused(String)
    case notResolved
    case notConnected(String)
    case timedOut
    case connectionLost
    /// The process ends; nothing was sent, or what became of it is not known.
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
