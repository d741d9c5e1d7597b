/// Limits each caller's rate: a burst and a sustained rate; requests above it are refused or delayed.
///
/// The generic cell rate algorithm (ITU-T I.371, annex A): for each caller it keeps the moment by which the admitted
/// amount has passed at that rate. It reads no clock: every call receives the time. It remembers at most `callersMax`
/// callers. Above that bound it first evicts callers with nothing outstanding, which loses no state, and then any
/// caller: a flood of callers costs fairness, never memory.
package struct RateLimiter: Sendable {
    package enum Admission: Equatable, Sendable {
        /// Zero: at once.
        case after(Duration)
        /// Nothing was admitted; the same amount may be admitted after `retryAfter`.
        case refused(retryAfter: Duration)
    }

    private let perSecond: Double
    private let burst: Double
    private let callersMax: Int
    private var passedAt: [String: Duration] = [:]
    private var sweptAt: Duration?

    /// - Parameter burst: the amount that an idle caller may send at once.
    package init(perSecond: Double, burst: Double, callersMax: Int) {
        self.perSecond = perSecond
        self.burst = burst
        self.callersMax = callersMax
    }

    package var callers: Int { passedAt.count }

    /// Admits an amount that fits in the caller's remaining burst, or nothing; an amount above the burst needs a full
    /// one.
    ///
    /// - Parameter now: time since some fixed moment.
    /// - Returns: nil where the amount was admitted, else the wait until it may be.
    package mutating func spend(_ amount: Double = 1, of caller: String, at now: Duration) -> Duration? {
        let passed = passed(of: caller, at: now)
        let spent = time(for: min(amount, burst))
        let wait = passed + spent - time(for: burst) - now
        guard wait <= .zero else { return wait }
        passedAt[caller] = passed + spent
        return nil
    }

    /// Admits an amount, however large, once the caller's earlier amounts leave any room.
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
        // A sweep's cost grows with the table, so there is at most one a second.
        if sweptAt.map({ now - $0 >= .seconds(1) }) ?? true {
            sweptAt = now
            passedAt = passedAt.filter { $0.value > now }
        }
        if passedAt.count >= callersMax { passedAt.remove(at: passedAt.startIndex) }
    }
}
