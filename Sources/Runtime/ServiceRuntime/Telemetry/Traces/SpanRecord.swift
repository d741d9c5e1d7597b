internal import Tracing

/// A span that has ended, or is about to, in the form for a collector.
struct SpanRecord: Sendable {
    /// Attributes, events and links of one span at most; further ones are not recorded.
    static let itemsMax = 64
    /// Characters of one text at most: a longer one is cut, so that a span's size has a bound.
    static let textCharactersMax = 1_024

    let trace: TraceContext
    /// Nil for the root of a trace.
    let parentSpanID: String?
    let kind: SpanKind
    /// Wall time, nanoseconds since 1970.
    let startedAt: UInt64
    var endedAt: UInt64 = 0
    var name: String
    var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    var links: [SpanLink] = []
    var status: SpanStatus?
}
