import LiveActivity
import Messages
import ServiceRuntime
import Tracing

/// The span of one push that was decided: a child of the span in which its state was wanted.
///
/// A push whose state came without a trace has none.
struct PushSpan {
    private let span: (any Span)?

    /// - Parameter start: when its decision began.
    init(_ push: Push, to device: DeviceID, at start: DefaultTracerClock.Timestamp = DefaultTracerClock.now) {
        guard let trace = push.traceparent.flatMap(TraceContext.init(traceparent:)) else {
            span = nil
            return
        }
        var context = ServiceContext.topLevel
        context.trace = trace
        let span = InstrumentationSystem.tracer.startSpan(
            "push \(push.event.rawValue)", context: context, ofKind: .producer, at: start)
        self.span = span
        guard span.isRecording else { return }
        let revision = push.wanted.content.revision
        span.updateAttributes { attributes in
            attributes["doorstep.activity.id"] = push.activity.rawValue
            attributes["doorstep.device.id"] = device.rawValue
            attributes["doorstep.push.priority"] = push.priority.rawValue
            attributes["doorstep.revision.version"] = revision.version
            attributes["doorstep.revision.step"] = revision.step
            if let alert = push.alert { attributes["doorstep.alert.id"] = alert.id }
        }
    }

    func end(_ result: PushResult) {
        guard let span else { return }
        span.attributes["doorstep.push.result"] = result.code
        if !result.isAccepted { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}
