package import Foundation

/// A token bucket: a burst, and a rate at which tokens refill.
///
/// It reads no clock: every call receives the time, from the owner's clock.
package struct TokenBucket: Hashable, Sendable {
    package struct Size: Hashable, Sendable {
        package let capacity: Double
        /// Seconds until one token refills.
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

    /// Seconds until `amount` tokens are available; 0 when they are available now.
    ///
    /// An amount above the capacity waits until the bucket is full.
    package func delay(_ size: Size, at now: Date, amount: Double = 1) -> TimeInterval {
        max(0, min(amount, size.capacity) - available(size, at: now)) * size.secondsPerToken
    }

    /// When one token is available: now, or when the bucket has refilled enough.
    package func ready(_ size: Size, at now: Date) -> Date {
        now.addingTimeInterval(delay(size, at: now))
    }

    /// Returns an unused token; the bucket never exceeds its capacity.
    package mutating func refund() { tokens += 1 }

    /// Removes `amount` tokens, never below zero.
    package mutating func spend(_ size: Size, at now: Date, amount: Double = 1) {
        tokens = max(0, available(size, at: now) - amount)
        countedAt = max(countedAt, now)
    }
}
