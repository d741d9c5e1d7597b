package import Logging
package import NatsClient

/// What a handler is told beside the message.
package struct MessageContext: Sendable {
    /// The delivery: subject, headers, how often it was delivered.
    package let delivery: StreamMessage
    /// Carries the consumer, the subject, the message's id and its trace.
    package let logger: Logger

    package init(delivery: StreamMessage, logger: Logger) {
        self.delivery = delivery
        self.logger = logger
    }

    /// Runs the operation as part of the message's trace; a handler of single messages does already.
    package func continuingTrace<Value>(_ operation: () throws -> Value) rethrows -> Value {
        try TracePropagation.continuing(delivery.headers, operation)
    }

    init(_ delivery: StreamMessage, consumer: String, logger: Logger) {
        var logger = logger
        logger[metadataKey: "consumer"] = "\(consumer)"
        logger[metadataKey: "subject"] = "\(delivery.subject)"
        if let id = delivery.headers[DeadLetters.messageIDHeader] { logger[metadataKey: "message_id"] = "\(id)" }
        if let trace = delivery.headers[TracePropagation.traceparent] {
            logger[metadataKey: "traceparent"] = "\(trace)"
        }
        self.init(delivery: delivery, logger: logger)
    }
}
