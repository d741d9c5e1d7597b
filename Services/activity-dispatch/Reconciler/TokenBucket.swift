import Foundation

/// A budget that refills with time: how many may go at once, and how often one more may.
struct TokenBucket: Hashable, Sendable {
    struct Size: Hashable, Sendable {
        let capacity: Double
        /// Seconds until one more may go.
        let secondsPerToken: Double
    }

    private(set) var tokens: Double
    private(set) var countedAt: Date

    /// A full bucket.
    init(_ size: Size, at now: Date) {
        self.init(tokens: size.capacity, countedAt: now)
    }

    init(tokens: Double, countedAt: Date) {
        self.tokens = tokens
        self.countedAt = countedAt
    }

    func available(_ size: Size, at now: Date) -> Double {
        min(size.capacity, tokens + max(0, now.timeIntervalSince(countedAt)) / size.secondsPerToken)
    }

    /// When one may go: now, or when the bucket has refilled enough.
    func ready(_ size: Size, at now: Date) -> Date {
        let missing = 1 - available(size, at: now)
        return missing <= 0 ? now : now.addingTimeInterval(missing * size.secondsPerToken)
    }

    /// Takes one out, and not below zero.
    mutating func spend(_ size: Size, at now: Date) {
        tokens = max(0, available(size, at: now) - 1)
        countedAt = max(countedAt, now)
    }
}
