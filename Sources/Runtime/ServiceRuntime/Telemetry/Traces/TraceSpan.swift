internal import Synchronization
package import Tracing

/// A span of this process; one that is not recorded costs its identifiers and nothing more.
package struct TraceSpan: Span {
    package let context: ServiceContext
    private let recording: SpanRecording?

    init(context: ServiceContext, recording: SpanRecording?) {
        self.context = context
        self.recording = recording
    }

    package var isRecording: Bool { recording != nil }

    package var operationName: String {
        get { recording?.record.name ?? "" }
        nonmutating set { recording?.change { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { recording?.record.attributes ?? SpanAttributes() }
        nonmutating set { recording?.change { $0.attributes = newValue } }
    }

    package func setStatus(_ status: SpanStatus) { recording?.change { $0.status = status } }

    package func addEvent(_ event: SpanEvent) {
        recording?.change { if $0.events.count < SpanRecord.itemsMax { $0.events.append(event) } }
    }

    /// Records the error as an event, by OpenTelemetry's names.
    ///
    /// - Source: https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        guard isRecording else { return }
        var described = attributes
        described["exception.type"] = "\(type(of: error))"
        described["exception.message"] = "\(error)"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: described))
    }

    package func addLink(_ link: SpanLink) {
        recording?.change { if $0.links.count < SpanRecord.itemsMax { $0.links.append(link) } }
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        recording?.end(at: instant().nanosecondsSinceEpoch)
    }
}

/// A span that is being recorded; its record is handed on when it ends, once.
final class SpanRecording: Sendable {
    private struct State {
        var record: SpanRecord
        var isEnded = false
    }

    private let state: Mutex<State>
    private let queue: SpanQueue

    init(_ record: SpanRecord, queue: SpanQueue) {
        state = Mutex(State(record: record))
        self.queue = queue
    }

    var record: SpanRecord { state.withLock { $0.record } }

    func change(_ change: (inout SpanRecord) -> Void) {
        state.withLock { if !$0.isEnded { change(&$0.record) } }
    }

    func end(at nanoseconds: UInt64) {
        let ended = state.withLock { state -> SpanRecord? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.record.endedAt = nanoseconds
            return state.record
        }
        if let ended { queue.append(ended) }
    }
}
