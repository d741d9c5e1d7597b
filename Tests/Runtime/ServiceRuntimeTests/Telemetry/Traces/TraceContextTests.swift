import Testing
import Tracing

@testable import ServiceRuntime

/// The context of a caller that sent this header.
func context(of traceparent: String) throws -> ServiceContext {
    var context = ServiceContext.topLevel
    let trace: TraceContext = try #require(TraceContext(traceparent: traceparent))
    context.trace = trace
    return context
}

@Suite("Trace context")
struct TraceContextTests {
    private struct Headers: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    @Test("A message's receiver works in a child span of its sender's")
    func propagation() throws {
        let tracer = SpanTracer()
        let sender = tracer.startSpan("send", context: .topLevel)
        var headers: [String: String] = [:]
        tracer.inject(sender.context, into: &headers, using: Headers())
        var received = ServiceContext.topLevel
        tracer.extract(headers, into: &received, using: Headers())
        #expect(received.trace == sender.context.trace)
        let receiver = tracer.startSpan("receive", context: received)
        #expect(receiver.context.trace?.traceID == sender.context.trace?.traceID)
        #expect(receiver.context.trace?.spanID != sender.context.trace?.spanID)
    }

    @Test("A message without a trace begins one, whatever the receiver did before")
    func withoutHeader() throws {
        let tracer = SpanTracer()
        var former = try context(of: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        tracer.extract([:], into: &former, using: Headers())
        let span = tracer.startSpan("receive", context: former)
        #expect(try #require(span.context.trace).traceID != "4bf92f3577b34da6a3ce929d0e0e4736")
    }

    @Test("A valid traceparent is read as it was written")
    func roundTrip() throws {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(try #require(TraceContext(traceparent: header)).traceparent == header)
        #expect(TraceContext(traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later") != nil)
    }

    @Test(
        "An invalid traceparent is none",
        arguments: [
            "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
        ])
    func invalid(header: String) { #expect(TraceContext(traceparent: header) == nil) }

    @Test("Outgoing headers are those of the span that the task runs in")
    func outgoing() throws {
        let received = try context(of: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let (sent, span) = SpanTracer().withSpan("test", context: received) { (traceHeaders(), $0.context.trace) }
        #expect(sent == ["traceparent": try #require(span).traceparent])
        #expect(traceHeaders().isEmpty)
    }
}
