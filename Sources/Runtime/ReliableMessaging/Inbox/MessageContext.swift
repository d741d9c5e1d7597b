package import Logging
package import NatsClient
internal import ServiceContextModule

/// A handler's context besides the decoded message.
package struct MessageContext: Sendable {
    /// The element as a message of its own: subject, headers, how often it was delivered.
    package let message: StreamMessage
    private let base: Logger
    private var consumer: String?
    /// The span that the message is handled in, or that published it.
    var trace: ServiceContext

    package init(message: StreamMessage, logger: Logger) {
        self.message = message
        base = logger
        trace = TracePropagation.context(of: message.headers)
    }

    /// Runs the operation as part of the message's trace.
    package func continuingTrace<Value>(_ operation: () throws -> Value) rethrows -> Value {
        try ServiceContext.withValue(trace, operation: operation)
    }

    init(_ message: StreamMessage, consumer: String, logger: Logger) {
        self.init(message: message, logger: logger)
        self.consumer = consumer
    }

    /// Carries the consumer, the subject, the message's id and its trace.
    ///
    /// Most messages log nothing, so the logger is made on demand.
    package var logger: Logger {
        guard let consumer else { return base }
        var logger = base
        logger[metadataKey: "consumer"] = "\(consumer)"
        logger[metadataKey: "subject"] = "\(message.subject)"
        if let id = message.headers[DeadLetters.messageIDHeader] { logger[metadataKey: "message_id"] = "\(id)" }
        if let trace = message.headers[TracePropagation.traceparent] {
            logger[metadataKey: "traceparent"] = "\(trace)"
        }
        return logger
    }
}
