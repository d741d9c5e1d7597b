/// Decides which traces are recorded, by their id: every process decides the same about one trace.
///
/// A trace that another process began keeps that one's decision, which is in its `traceparent`.
struct TraceSampler: Hashable, Sendable {
    /// Traces are recorded whose 56 random bits are at least this.
    ///
    /// - Source: the rejection threshold of https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
    private let threshold: UInt64
    private static let randomBits: UInt64 = 56

    /// - Parameter share: of the traces that begin here, 0 to 1.
    init(share: Double) {
        let whole = Double(UInt64(1) << Self.randomBits)
        threshold = UInt64(((1 - min(1, max(0, share))) * whole).rounded())
    }

    /// - Parameter traceID: 32 hex digits, of which the last 14 are random (W3C Trace Context Level 2, section 2.2.2.3).
    func isSampled(_ traceID: String) -> Bool {
        (UInt64(traceID.suffix(Int(Self.randomBits / 4)), radix: 16) ?? 0) >= threshold
    }
}
