/// Numbers from 0 to 1 that are the same for the same seed on every machine: xorshift64.
///
/// Training draws only from this sequence: another one would grow other trees from the same history, and a model file
/// must be the same bytes each time. New code draws from ``SeededGenerator``.
/// - Source: Marsaglia, "Xorshift RNGs", 2003.
package struct TrainingSequence: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// The next number in 0..<1.
    package mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / Double(1 << 53)
    }
}
