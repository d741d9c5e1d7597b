internal import Foundation
internal import NatsClient
internal import Tracing

// Names and attributes are those of https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/; a span's
// name has no identifier in it, so that a collector can group by it.

/// The span in which a message is handled: a child of the one that published it.
struct ConsumerSpan: Sendable {
    private let span: any Span

    init(_ message: StreamMessage, consumer: String) {
        span = InstrumentationSystem.tracer.startSpan(
            "process \(consumer)", context: TracePropagation.context(of: message.headers), ofKind: .consumer)
        guard span.isRecording else { return }
        span.updateAttributes { attributes in
            attributes["messaging.system"] = "nats"
            attributes["messaging.operation.name"] = "process"
            attributes["messaging.operation.type"] = "process"
            attributes["messaging.consumer.group.name"] = consumer
            attributes["messaging.destination.name"] = message.subject
            attributes["messaging.destination.partition.id"] = message.stream
            if let id = message.headers[DeadLetters.messageIDHeader] { attributes["messaging.message.id"] = id }
            attributes["doorstep.deliveries"] = message.deliveryCount
        }
    }

    /// The context for work within the span.
    var context: ServiceContext { span.context }

    nonisolated(nonsending) func run<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        try await ServiceContext.withValue(context, operation: operation)
    }

    /// - Parameter error: why the message was not handled, where it was not.
    func end(_ error: (any Error)? = nil) { span.end(error) }
}

/// The span in which the relay publishes a message: a child of the span whose transaction enqueued the message.
///
/// A message without a causing request, such as a resync's, has no span.
struct ProducerSpan: Sendable {
    private let span: (any Span)?
    /// The message's, with this span in place of the one that enqueued it where it is recorded.
    let headers: [String: String]

    init(_ message: OutboxMessage) {
        guard message.headers[TracePropagation.traceparent] != nil else {
            (span, headers) = (nil, message.headers)
            return
        }
        let kind = message.subject.split(separator: ".").prefix(2).joined(separator: ".")
        let span = InstrumentationSystem.tracer.startSpan(
            "publish \(kind)", context: TracePropagation.context(of: message.headers), ofKind: .producer)
        self.span = span
        guard span.isRecording else {
            headers = message.headers
            return
        }
        headers = TracePropagation.headers(message.headers, of: span.context)
        span.updateAttributes { attributes in
            attributes["messaging.system"] = "nats"
            attributes["messaging.operation.name"] = "publish"
            attributes["messaging.operation.type"] = "send"
            attributes["messaging.destination.name"] = message.subject
            attributes["messaging.message.id"] = message.id.uuidString.lowercased()
        }
    }

    func end(_ result: Result<PublishAck, NatsError>) {
        switch result {
        case .success: span?.end(nil)
        case .failure(let error): span?.end(error)
        }
    }
}

extension Span {
    fileprivate func end(_ error: (any Error)?) {
        if let error {
            recordError(error)
            setStatus(SpanStatus(code: .error))
        }
        end()
    }
}
