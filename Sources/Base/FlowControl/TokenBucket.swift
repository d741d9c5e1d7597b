package import Foundation

/// A budget that refills with time: how many may go at once, and how often one more may.
///
/// It reads no clock: every call gets the time, on whichever clock its owner lives by.
package struct TokenBucket: Hashable, Sendable {
    package struct Size: Hashable, Sendable {
        package let capacity: Double
        /// Seconds until one more may go.
        package let secondsPerToken: Double

        package init(capacity: Double, secondsPerToken: Double) {
            self.capacity = capacity
            self.secondsPerToken = secondsPerToken
        }
    }

    package private(set) var tokens: Double
    package private(set) var countedAt: Date

    /// A full bucket.
    package init(_ size: Size, at now: Date) {
        self.init(tokens: size.capacity, countedAt: now)
    }

    package init(tokens: Double, countedAt: Date) {
        self.tokens = tokens
        self.countedAt = countedAt
    }

    package func available(_ size: Size, at now: Date) -> Double {
        min(size.capacity, tokens + max(0, now.timeIntervalSince(countedAt)) / size.secondsPerToken)
    }

    /// Seconds until one may go, or as many as `amount` says; 0 when they may go now.
    ///
    /// More than fit in the bucket may go when it is full.
    package func delay(_ size: Size, at now: Date, amount: Double = 1) -> TimeInterval {
        max(0, min(amount, size.capacity) - available(size, at: now)) * size.secondsPerToken
    }

    /// When one may go: now, or when the bucket has refilled enough.
    package func ready(_ size: Size, at now: Date) -> Date {
        now.addingTimeInterval(delay(size, at: now))
    }

    /// Refunds one that was spent and not used; the bucket gets no fuller than it may be.
    package mutating func refund() { tokens += 1 }

    /// Spends one, or as many as `amount` says, and not below zero.
    package mutating func spend(_ size: Size, at now: Date, amount: Double = 1) {
        tokens = max(0, available(size, at: now) - amount)
        countedAt = max(countedAt, now)
    }
}
