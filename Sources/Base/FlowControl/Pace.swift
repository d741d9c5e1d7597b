/// How fast each of many callers may go: so much a second and so much at once; what is more waits.
///
/// For each caller it keeps the moment by which what was admitted has passed at that rate: the generic cell rate
/// algorithm (ITU-T I.371, annex A). It reads no clock: every call gets the time. At most `callersMax` are remembered;
/// when there are more, those are forgotten first who have nothing outstanding, and then any.
package struct Pace: Sendable {
    package enum Admission: Equatable, Sendable {
        /// Zero: at once.
        case after(Duration)
        /// Nothing was admitted; as much may be after so long.
        case refused(retryAfter: Duration)
    }

    private let perSecond: Double
    /// How much a caller who was idle for a while may send at once.
    private let burst: Double
    package let waitMax: Duration
    private let callersMax: Int
    private var passedAt: [String: Duration] = [:]

    package init(perSecond: Double, burst: Double, waitMax: Duration, callersMax: Int) {
        self.perSecond = perSecond
        self.burst = burst
        self.waitMax = waitMax
        self.callersMax = callersMax
    }

    package var callers: Int { passedAt.count }

    /// - Parameter now: time since some fixed moment.
    package mutating func admit(_ amount: Double, of caller: String, at now: Duration) -> Admission {
        if passedAt[caller] == nil, passedAt.count >= callersMax { makeRoom(at: now) }
        let passed = max(now, passedAt[caller] ?? now)
        let wait = max(.zero, passed - now - time(for: burst))
        guard wait <= waitMax else { return .refused(retryAfter: wait - waitMax) }
        passedAt[caller] = passed + time(for: amount)
        return .after(wait)
    }

    private func time(for amount: Double) -> Duration { .seconds(amount / perSecond) }

    private mutating func makeRoom(at now: Duration) {
        passedAt = passedAt.filter { $0.value > now }
        if passedAt.count >= callersMax { passedAt.remove(at: passedAt.startIndex) }
    }
}
