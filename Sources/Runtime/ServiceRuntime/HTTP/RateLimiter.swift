internal import FlowControl
internal import Foundation

/// Token buckets, one per caller: a caller may send `burst` requests at once and `perSecond` in the long run.
///
/// At most `callersMax` are remembered. When there are more, those forgotten first are the ones whose bucket is full
/// again, which changes nothing for them, and then any: a flood of callers costs fairness, never memory.
package struct RateLimiter: Sendable {
    let callersMax: Int
    private let size: TokenBucket.Size
    private var buckets: [String: TokenBucket] = [:]
    private var sweptAt = Date(timeIntervalSinceReferenceDate: 0)

    package init(perSecond: Double, burst: Int, callersMax: Int) {
        size = TokenBucket.Size(capacity: Double(burst), secondsPerToken: 1 / perSecond)
        self.callersMax = callersMax
    }

    var callers: Int { buckets.count }

    /// Takes one request out of the caller's bucket.
    ///
    /// - Parameters:
    ///   - now: time since some fixed moment.
    ///   - amount: how many requests it counts as.
    /// - Returns: nil when it may pass, else how long until the next may.
    package mutating func take(_ caller: String, at now: Duration, amount: Double = 1) -> Duration? {
        // The fixed moment is the reference date, so that a bucket counts what passed since.
        let now = Date(timeIntervalSinceReferenceDate: now / .seconds(1))
        if buckets[caller] == nil, buckets.count >= callersMax { makeRoom(at: now) }
        var bucket = buckets[caller] ?? TokenBucket(size, at: now)
        let delay = bucket.delay(size, at: now, amount: amount)
        if delay <= 0 { bucket.spend(size, at: now, amount: amount) }
        buckets[caller] = bucket
        return delay <= 0 ? nil : .seconds(delay)
    }

    private mutating func makeRoom(at now: Date) {
        // A sweep costs as much as the table is long, so a flood gets one a second.
        if now.timeIntervalSince(sweptAt) >= 1 {
            sweptAt = now
            buckets = buckets.filter { $0.value.available(size, at: now) < size.capacity }
        }
        if buckets.count >= callersMax { buckets.remove(at: buckets.startIndex) }
    }
}
