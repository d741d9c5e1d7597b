internal import Foundation
package import Logging
package import ServiceContextModule

/// Which story a piece of work belongs to, as W3C Trace Context carries it between processes.
package struct TraceContext: Hashable, Sendable {
    /// 32 lower-case hex digits, not all zero; the same in every process a story runs through.
    package let traceID: String
    /// 16 lower-case hex digits, not all zero; this process's part.
    package let spanID: String
    /// The flags as received; bit 0 says that the caller records the story.
    package let flags: UInt8

    /// A new story.
    package static func generate(using random: inout some RandomNumberGenerator) -> TraceContext {
        let high = hexDigits(UInt64.random(in: 1...UInt64.max, using: &random))
        let low = hexDigits(UInt64.random(in: 0...UInt64.max, using: &random))
        return TraceContext(
            traceID: high + low, spanID: hexDigits(UInt64.random(in: 1...UInt64.max, using: &random)), flags: 1)
    }

    /// The next part of the same story.
    package func next(using random: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: hexDigits(UInt64.random(in: 1...UInt64.max, using: &random)), flags: flags)
    }

    /// Goes on from a `traceparent` header, or begins a story when there is none that is valid.
    package static func continuing(
        _ traceparent: String?, using random: inout some RandomNumberGenerator
    ) -> TraceContext {
        guard let traceparent, let received = TraceContext(traceparent: traceparent) else {
            return generate(using: &random)
        }
        return received.next(using: &random)
    }

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

    /// What the header says.
    package var traceparent: String {
        "00-\(traceID)-\(spanID)-" + (flags < 16 ? "0" : "") + String(flags, radix: 16)
    }
}

extension TraceContext {
    /// The story of the running task; nil outside of any.
    package static var current: TraceContext? { ServiceContext.current?.trace }

    /// Runs `work` as part of this story: its log lines carry the trace id, its messages the header.
    package nonisolated(nonsending) func run<Value>(
        _ work: nonisolated(nonsending) () async throws -> Value
    ) async rethrows -> Value {
        var context = ServiceContext.current ?? .topLevel
        context.trace = self
        return try await ServiceContext.$current.withValue(context, operation: work)
    }

    /// Puts `trace_id` on every line logged inside a story.
    package static let metadataProvider = Logger.MetadataProvider {
        guard let trace = current else { return [:] }
        return ["trace_id": "\(trace.traceID)"]
    }
}

/// Runs `work` as the next part of the story that a message's or request's headers belong to.
package nonisolated(nonsending) func withTrace<Value>(
    continuing headers: [String: String], _ work: nonisolated(nonsending) () async throws -> Value
) async rethrows -> Value {
    var random = SystemRandomNumberGenerator()
    let received = headers.first { $0.key.lowercased() == "traceparent" }?.value
    return try await TraceContext.continuing(received, using: &random).run(work)
}

/// The headers that let the receiver of a message or request go on with the running task's story; empty outside of one.
package func traceHeaders() -> [String: String] {
    TraceContext.current.map { ["traceparent": $0.traceparent] } ?? [:]
}

private enum TraceKey: ServiceContextKey {
    typealias Value = TraceContext
    static let nameOverride: String? = "trace"
}

extension ServiceContext {
    /// The story the task works on.
    package var trace: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }
}

private func hexDigits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

private func isHex(_ text: Substring, digits: Int) -> Bool {
    text.utf8.count == digits
        && text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
}
