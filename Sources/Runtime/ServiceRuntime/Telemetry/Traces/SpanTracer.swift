package import Tracing

/// Makes the process's spans, carries their trace to other processes as W3C Trace Context, and records those that are
/// sampled where there is a collector.
///
/// Without a collector nothing is recorded; spans still have identifiers, which log lines, problem documents and
/// messages carry.
package struct SpanTracer: Tracer {
    struct Recorder: Sendable {
        let sampler: TraceSampler
        let queue: SpanQueue
    }

    private let recorder: Recorder?

    /// A tracer that records nothing.
    package init() { recorder = nil }

    init(_ recorder: Recorder) { self.recorder = recorder }

    /// A span below that of `context`, which may be another process's, or the root of a new trace.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> TraceSpan {
        var context = context()
        let parent = context.trace
        var random = SystemRandomNumberGenerator()
        let trace = parent?.childSpan(using: &random) ?? root(using: &random)
        context.trace = trace
        guard let recorder, trace.isSampled else { return TraceSpan(context: context, recording: nil) }
        let record = SpanRecord(
            trace: trace, parentSpanID: parent?.spanID, kind: kind, startedAt: instant().nanosecondsSinceEpoch,
            name: operationName)
        return TraceSpan(context: context, recording: SpanRecording(record, queue: recorder.queue))
    }

    /// Without a collector the flag is set nevertheless, for a downstream process with one.
    private func root(using random: inout some RandomNumberGenerator) -> TraceContext {
        let trace = TraceContext.generate(using: &random)
        guard let recorder else { return trace }
        return trace.withSampled(recorder.sampler.isSampled(trace.traceID))
    }

    package func forceFlush() {}

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: TraceContext.header, into: &carrier)
    }

    /// Makes the sender's span the parent of spans in the context; without a valid one, they have none.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.trace = extractor.extract(key: TraceContext.header, from: carrier)
            .flatMap(TraceContext.init(traceparent:))
    }
}
