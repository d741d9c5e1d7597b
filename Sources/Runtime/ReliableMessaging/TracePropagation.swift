internal import Tracing

/// Carries the trace from a message's producer to its handler, in the message headers.
enum TracePropagation {
    /// The W3C name of the header (Trace Context, section 3.2).
    static let traceparent = "traceparent"

    /// The headers with the current trace, unless they carry one already.
    static func headers(_ headers: [String: String]) -> [String: String] {
        guard headers[traceparent] == nil, let context = ServiceContext.current else { return headers }
        return self.headers(headers, of: context)
    }

    /// The headers with the trace of a context in place of theirs.
    static func headers(_ headers: [String: String], of context: ServiceContext) -> [String: String] {
        var carrier = headers
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Headers())
        return carrier
    }

    /// The context with the headers' trace; without one a span that starts in it is the root of a new trace.
    static func context(of headers: [String: String]) -> ServiceContext {
        var context = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(headers, into: &context, using: Headers())
        return context
    }

    private struct Headers: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }
}
