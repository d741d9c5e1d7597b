internal import Tracing

/// Carries the trace from whoever caused a message to whoever handles it, in the headers.
enum TracePropagation {
    /// The W3C name of the header (Trace Context, section 3.2).
    static let traceparent = "traceparent"

    /// The headers with the current trace, unless they carry one already.
    static func headers(_ headers: [String: String]) -> [String: String] {
        guard headers[traceparent] == nil, let context = ServiceContext.current else { return headers }
        var carrier = headers
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Headers())
        return carrier
    }

    /// Runs the operation as part of the trace in the headers.
    nonisolated(nonsending) static func continuing<Value>(
        _ headers: [String: String], _ operation: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        var context = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(headers, into: &context, using: Headers())
        return try await ServiceContext.withValue(context, operation: operation)
    }

    static func continuing<Value>(_ headers: [String: String], _ operation: () throws -> Value) rethrows -> Value {
        var context = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(headers, into: &context, using: Headers())
        return try ServiceContext.withValue(context, operation: operation)
    }

    private struct Headers: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }
}
