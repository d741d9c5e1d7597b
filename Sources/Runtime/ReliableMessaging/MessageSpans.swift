internal import Foundation
internal import NatsClient
internal import Tracing

// Names and attributes are those of https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/; a span's
// name has no identifier in it, so that a collector can group by it.

/// The span in which a message is handled: a child of the one that published it.
struct ConsumerSpan: Sendable {
    private let span: any Span

    /// - Parameter sender: the context with the trace of the span that published it.
    init(_ message: StreamMessage, below sender: ServiceContext, consumer: String) {
        span = InstrumentationSystem.tracer.startSpan("process \(consumer)", context: sender, ofKind: .consumer)
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

    /// - Parameter error: why the message was not handled, where it was not.
    func end(_ error: (any Error)? = nil) { span.end(error) }
}

/// The spans in which the relay publishes a message: a child of each span whose transaction enqueued elements of it.
///
/// A message without a causing request, such as a resync's, has no span.
struct ProducerSpan: Sendable {
    private let spans: [any Span]
    /// The message's, with these spans in place of those that enqueued it where they are recorded.
    let headers: [String: String]

    init(_ message: OutboxMessage) {
        let traces = MessageBatch.values(of: TracePropagation.traceparent, in: message.headers)
        var children: [String: any Span] = [:]
        for trace in traces.compactMap(\.self) where children[trace] == nil && Self.isSampled(trace) {
            let span = Self.span(of: message, in: trace)
            // Without a collector no sampled trace is recorded.
            guard span.isRecording else { break }
            children[trace] = span
        }
        spans = Array(children.values)
        let recorded = children.mapValues { TracePropagation.headers([:], of: $0.context) }
        guard !recorded.isEmpty else {
            headers = message.headers
            return
        }
        let published = traces.map { trace in
            trace.map { recorded[$0]?[TracePropagation.traceparent] ?? $0 }
        }
        headers = MessageBatch.headers(message.headers, with: published, of: TracePropagation.traceparent)
    }

    /// Whether it is a `traceparent` whose last bit is set (Trace Context, section 3.2.2.5); others are not recorded.
    private static func isSampled(_ trace: String) -> Bool {
        trace.utf8.count == 55 && trace.last?.hexDigitValue.map { $0 & 1 == 1 } ?? false
    }

    private static func span(of message: OutboxMessage, in trace: String) -> any Span {
        let kind = message.subject.split(separator: ".").prefix(2).joined(separator: ".")
        let span = InstrumentationSystem.tracer.startSpan(
            "publish \(kind)", context: TracePropagation.context(of: [TracePropagation.traceparent: trace]),
            ofKind: .producer)
        guard span.isRecording else { return span }
        span.updateAttributes { attributes in
            attributes["messaging.system"] = "nats"
            attributes["messaging.operation.name"] = "publish"
            attributes["messaging.operation.type"] = "send"
            attributes["messaging.destination.name"] = message.subject
            attributes["messaging.message.id"] = message.id.uuidString.lowercased()
        }
        return span
    }

    func end(_ result: Result<PublishAck, NatsError>) {
        for span in spans {
            switch result {
            case .success: span.end(nil)
            case .failure(let error): span.end(error)
            }
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
