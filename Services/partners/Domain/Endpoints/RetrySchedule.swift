import Foundation

/// When an event is tried again that was not delivered.
enum RetrySchedule {
    /// Seconds from each failed attempt to the next.
    ///
    /// - Source: the example of Standard Webhooks 1.0.0, "Retries": at once, then 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and
    ///   24 h after the one before.
    static let delays: [Double] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// The most attempts of an event.
    static var attemptsMax: Int { delays.count + 1 }
    /// The share of a delay that jitter adds at most.
    static let jitterShare = 0.1

    /// The due time of the next attempt.
    ///
    /// - Parameters:
    ///   - attempts: the number of failed attempts.
    ///   - jitter: from 0 to 1, so that concurrent failures are not retried together.
    /// - Returns: nil after the last attempt.
    static func next(after attempts: Int, at now: Date, jitter: Double) -> Date? {
        guard (1...delays.count).contains(attempts) else { return nil }
        return now.addingTimeInterval(delays[attempts - 1] * (1 + jitterShare * jitter))
    }
}
