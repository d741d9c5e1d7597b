internal import CNats

/// Why an operation on the broker failed, classified so that callers can decide without reading text.
public struct NatsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure a caller may want to distinguish.
    public enum Code: String, Sendable, Hashable {
        /// No connection, or it broke before the reply arrived: the outcome of a write is unknown.
        case disconnected
        /// The reply did not arrive in time: the outcome of a write is unknown.
        case timedOut
        /// The subject has no subscriber. For a JetStream publish: no stream stores it.
        case noResponders
        /// The user may not publish to or subscribe to the subject.
        case notPermitted
        /// The server refused the credentials.
        case authenticationFailed
        /// The stream or consumer does not exist.
        case notFound
        /// An argument the server must never see, such as a subject with a space.
        case invalidArgument
        /// The payload exceeds the server's limit for one message.
        case payloadTooLarge
        /// A bounded queue or buffer is full.
        case overloaded
        /// The client was closed.
        case closed
        /// JetStream refused; see ``NatsError/jetStreamCode``.
        case refused
        /// A reply that could not be decoded.
        case malformedAnswer
        /// A failure of the C library that fits none of the others.
        case other
    }

    /// The kind of failure.
    public let code: Code
    /// The reason as text.
    public let message: String
    /// The failed operation and its object, such as `publishing to orders.delivery-changed.7f3c`.
    public let operation: String
    /// JetStream's `err_code`, such as 10059 for a missing stream, when the server sent one.
    public let jetStreamCode: Int?
    /// True when the same call may succeed later without any change.
    public let isRetriable: Bool

    init(
        _ code: Code, _ message: String, operation: String, jetStreamCode: Int? = nil, isRetriable: Bool? = nil
    ) {
        self.code = code
        self.message = message
        self.operation = operation
        self.jetStreamCode = jetStreamCode
        self.isRetriable = isRetriable ?? code.isUsuallyRetriable
    }

    /// The failure in one line, with the failed operation.
    public var description: String {
        let number = jetStreamCode.map { " (JetStream \($0))" } ?? ""
        return "\(operation): \(code.rawValue): \(message)\(number)"
    }
}

extension NatsError.Code {
    fileprivate var isUsuallyRetriable: Bool {
        switch self {
        case .disconnected, .timedOut, .noResponders, .overloaded: true
        case .notPermitted, .authenticationFailed, .notFound, .invalidArgument, .payloadTooLarge, .closed, .refused,
            .malformedAnswer, .other:
            false
        }
    }
}

extension NatsError {
    /// The C library's failure with its own text.
    ///
    /// `nats_GetLastError` is thread-local, so this must run on the thread of the failed call, before any other.
    init(status: natsStatus, operation: String) {
        var last = NATS_OK
        let detail = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
        let text = natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
        self.init(
            Self.code(of: status), last == status && !detail.isEmpty ? detail : text, operation: operation)
    }

    private static func code(of status: natsStatus) -> Code {
        switch status {
        case NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED, NATS_NO_SERVER, NATS_STALE_CONNECTION, NATS_IO_ERROR,
            NATS_NOT_YET_CONNECTED:
            .disconnected
        case NATS_TIMEOUT: .timedOut
        case NATS_NO_RESPONDERS: .noResponders
        case NATS_NOT_PERMITTED: .notPermitted
        case NATS_CONNECTION_AUTH_FAILED: .authenticationFailed
        case NATS_NOT_FOUND: .notFound
        case NATS_INVALID_SUBJECT, NATS_INVALID_ARG, NATS_INVALID_QUEUE_NAME, NATS_ADDRESS_MISSING: .invalidArgument
        case NATS_MAX_PAYLOAD: .payloadTooLarge
        case NATS_INSUFFICIENT_BUFFER, NATS_SLOW_CONSUMER: .overloaded
        case NATS_DRAINING: .closed
        default: .other
        }
    }
}
