package import Logging
package import ServiceContextModule
internal import TextCoding

/// The trace and span of a piece of work, as W3C Trace Context carries them between processes.
package struct TraceContext: Hashable, Sendable {
    /// 32 lower-case hex digits, not all zero; the same in every process of the trace.
    package let traceID: String
    /// 16 lower-case hex digits, not all zero; this process's span.
    package let spanID: String
    /// The flags as received; bit 0 is set when the caller records the trace.
    package let flags: UInt8

    /// The root span of a new trace.
    package static func generate(using random: inout some RandomNumberGenerator) -> TraceContext {
        let high = Hexadecimal.encode(UInt64.random(in: 1 ... .max, using: &random))
        let low = Hexadecimal.encode(UInt64.random(in: 0 ... .max, using: &random))
        return TraceContext(
            traceID: high + low, spanID: Hexadecimal.encode(UInt64.random(in: 1 ... .max, using: &random)), flags: 1)
    }

    /// A child span of the same trace.
    package func childSpan(using random: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: Hexadecimal.encode(UInt64.random(in: 1 ... .max, using: &random)), flags: flags)
    }

    /// The same span with the given sampled flag.
    func withSampled(_ isSampled: Bool) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, flags: isSampled ? flags | 1 : flags & ~1)
    }

    /// Whether the trace is recorded, as its root decided.
    package var isSampled: Bool { flags & 1 == 1 }

    /// The header's name (W3C Trace Context, section 3.2).
    package static let header = "traceparent"

    private init(traceID: String, spanID: String, flags: UInt8) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
    }

    /// Reads `00-<trace id>-<parent id>-<flags>`; nil when it breaks section 3.2 of W3C Trace Context.
    ///
    /// A later version may append fields, which are ignored; version `ff` is invalid.
    package init?(traceparent: String) {
        let fields = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count >= 4, isHex(fields[0], digits: 2), fields[0] != "ff",
            fields[0] != "00" || fields.count == 4,
            isHex(fields[1], digits: 32), fields[1].contains(where: { $0 != "0" }),
            isHex(fields[2], digits: 16), fields[2].contains(where: { $0 != "0" }),
            isHex(fields[3], digits: 2), let flags = UInt8(fields[3], radix: 16)
        else { return nil }
        self.init(traceID: String(fields[1]), spanID: String(fields[2]), flags: flags)
    }

    /// The header's value.
    package var traceparent: String {
        "00-\(traceID)-\(spanID)-" + (flags < 16 ? "0" : "") + String(flags, radix: 16)
    }
}

extension TraceContext {
    /// The span of the running task; nil outside of any.
    package static var current: TraceContext? { ServiceContext.current?.trace }

    /// Puts `trace_id` and `span_id` on every line logged inside a span.
    package static let metadataProvider = Logger.MetadataProvider {
        guard let trace = current else { return [:] }
        return ["trace_id": "\(trace.traceID)", "span_id": "\(trace.spanID)"]
    }
}

/// The headers that let the receiver of a message or request continue the running task's trace; empty outside of one.
package func traceHeaders() -> [String: String] {
    TraceContext.current.map { [TraceContext.header: $0.traceparent] } ?? [:]
}

private enum TraceKey: ServiceContextKey {
    typealias Value = TraceContext
    static let nameOverride: String? = "trace"
}

extension ServiceContext {
    /// The span that the task runs in.
    package var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

private func isHex(_ text: Substring, digits: Int) -> Bool {
    text.utf8.count == digits
        && text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
}
