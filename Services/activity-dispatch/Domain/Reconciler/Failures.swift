import Foundation

/// Failures in a row for one reason, and how long they hold up the next attempt.
struct Failures: Hashable, Sendable {
    var count = 0
    /// The reason of the last failure; nil without one.
    var reason: String?
    /// Domain time of the earliest next attempt; nil where that waits for nothing.
    var retryAt: Date?

    /// Counts another; one for another reason than the last is the first.
    mutating func add(_ result: PushResult) {
        count = result.failureReason == reason ? count + 1 : 1
        reason = result.failureReason
    }

    /// Counts a failure, and delays the next attempt.
    mutating func backOff(after result: PushResult, now: Date, timing: RetryTiming) {
        add(result)
        retryAt = timing.next(after: result, failures: count, now: now)
    }
}
