/// Token buckets, one per caller: a caller may send `burst` requests at once and `perSecond` in the long run.
///
/// At most `callersMax` are remembered. When there are more, those forgotten first are the ones whose bucket is full
/// again, which changes nothing for them, and then any: a flood of callers costs fairness, never memory.
package struct RateLimiter: Sendable {
    private struct Bucket {
        var left: Double
        var countedAt: Duration
    }

    let perSecond: Double
    let burst: Double
    let callersMax: Int
    private var buckets: [String: Bucket] = [:]
    private var sweptAt: Duration = .zero

    package init(perSecond: Double, burst: Int, callersMax: Int) {
        self.perSecond = perSecond
        self.burst = Double(burst)
        self.callersMax = callersMax
    }

    var callers: Int { buckets.count }

    /// Takes one request out of the caller's bucket.
    ///
    /// - Parameter now: time since some fixed moment.
    /// - Returns: nil when it may pass, else how long until the next may.
    package mutating func take(_ caller: String, at now: Duration) -> Duration? {
        if buckets[caller] == nil, buckets.count >= callersMax { makeRoom(at: now) }
        var bucket = buckets[caller] ?? Bucket(left: burst, countedAt: now)
        bucket.left = filled(bucket, at: now)
        bucket.countedAt = now
        let wait: Duration? = bucket.left >= 1 ? nil : .seconds((1 - bucket.left) / perSecond)
        if wait == nil { bucket.left -= 1 }
        buckets[caller] = bucket
        return wait
    }

    private func filled(_ bucket: Bucket, at now: Duration) -> Double {
        min(burst, bucket.left + ((now - bucket.countedAt) / .seconds(1)) * perSecond)
    }

    private mutating func makeRoom(at now: Duration) {
        // A sweep costs as much as the table is long, so a flood gets one a second.
        if now - sweptAt >= .seconds(1) {
            sweptAt = now
            buckets = buckets.filter { filled($0.value, at: now) < burst }
        }
        if buckets.count >= callersMax { buckets.remove(at: buckets.startIndex) }
    }
}
