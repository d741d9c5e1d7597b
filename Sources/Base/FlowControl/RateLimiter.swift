/// How fast each of many callers may go: so much at once, and so much a second in the long run; what is more is refused, or
/// waits.
///
/// For each caller it keeps the moment by which what was admitted has passed at that rate: the generic cell rate
/// algorithm (ITU-T I.371, annex A). It reads no clock: every call gets the time. At most `callersMax` are remembered;
/// when there are more, those are forgotten first who have nothing outstanding, which changes nothing for them, and then
/// any: a flood of callers costs fairness, never memory.
package struct RateLimiter: Sendable {
    package enum Admission: Equatable, Sendable {
        /// Zero: at once.
        case after(Duration)
        /// Nothing was admitted; as much may be after so long.
        case refused(retryAfter: Duration)
    }

    private let perSecond: Double
    private let burst: Double
    private let callersMax: Int
    private var passedAt: [String: Duration] = [:]
    private var sweptAt: Duration?

    /// - Parameter burst: how much a caller who was idle for a while may send at once.
    package init(perSecond: Double, burst: Double, callersMax: Int) {
        self.perSecond = perSecond
        self.burst = burst
        self.callersMax = callersMax
    }

    package var callers: Int { passedAt.count }

    /// Admits an amount that fits in what the caller has left now, or nothing; one above the burst fits when all is left.
    ///
    /// - Parameter now: time since some fixed moment.
    /// - Returns: nil where it was admitted, else how long until as much may be.
    package mutating func spend(_ amount: Double = 1, of caller: String, at now: Duration) -> Duration? {
        let passed = passed(of: caller, at: now)
        let spent = time(for: min(amount, burst))
        let wait = passed + spent - time(for: burst) - now
        guard wait <= .zero else { return wait }
        passedAt[caller] = passed + spent
        return nil
    }

    /// Admits an amount once what the caller sent before leaves any room, however large it is.
    ///
    /// - Parameters:
    ///   - now: time since some fixed moment.
    ///   - waitMax: an amount that would wait for longer is refused.
    package mutating func admit(_ amount: Double, of caller: String, at now: Duration, waitMax: Duration) -> Admission {
        let passed = passed(of: caller, at: now)
        let wait = max(.zero, passed - now - time(for: burst))
        guard wait <= waitMax else { return .refused(retryAfter: wait - waitMax) }
        passedAt[caller] = passed + time(for: amount)
        return .after(wait)
    }

    private mutating func passed(of caller: String, at now: Duration) -> Duration {
        if let passed = passedAt[caller] { return max(now, passed) }
        if passedAt.count >= callersMax { makeRoom(at: now) }
        return now
    }

    private func time(for amount: Double) -> Duration { .seconds(amount / perSecond) }

    private mutating func makeRoom(at now: Duration) {
        // A sweep costs as much as the table is long, so a flood gets one a second.
        if sweptAt.map({ now - $0 >= .seconds(1) }) ?? true {
            sweptAt = now
            passedAt = passedAt.filter { $0.value > now }
        }
        if passedAt.count >= callersMax { passedAt.remove(at: passedAt.startIndex) }
    }
}
