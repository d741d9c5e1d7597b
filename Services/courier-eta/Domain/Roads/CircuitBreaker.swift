/// A circuit breaker with exponential back-off: pure, over a time passed in.
///
/// Closed it admits every request. After `failuresMax` failures in a row it opens and admits none until its pause is
/// over; half open it admits one, whose outcome closes it or opens it for twice as long.
struct CircuitBreaker: Hashable, Sendable {
    typealias Moment = ContinuousClock.Instant

    static let failuresMax = 5
    static let pauseFirst = Duration.seconds(10)
    static let pauseMax = Duration.seconds(300)

    enum State: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Moment, pause: Duration)
        /// One request is in flight, and counts as lost without a result by then.
        case halfOpen(until: Moment, pause: Duration)
    }

    private(set) var state = State.closed(failures: 0)

    /// Whether a request would be admitted.
    func admits(at now: Moment) -> Bool {
        switch state {
        case .closed: true
        case .open(let until, _), .halfOpen(let until, _): now >= until
        }
    }

    /// Admits a request, or not; the caller records the outcome of an admitted one.
    mutating func admit(at now: Moment) -> Bool {
        guard admits(at: now) else { return false }
        switch state {
        case .closed: break
        case .open(_, let pause), .halfOpen(_, let pause):
            state = .halfOpen(until: now.advanced(by: Self.pauseFirst), pause: pause)
        }
        return true
    }

    /// Records an answered request.
    ///
    /// - Returns: whether that closes the breaker.
    mutating func recordSuccess() -> Bool {
        switch state {
        case .closed:
            state = .closed(failures: 0)
            return false
        case .open:
            // Requested before it opened: one late answer is no evidence.
            return false
        case .halfOpen:
            state = .closed(failures: 0)
            return true
        }
    }

    /// Records a failed request.
    ///
    /// - Returns: whether that opens the breaker after it was closed.
    mutating func recordFailure(at now: Moment) -> Bool {
        switch state {
        case .closed(let failures):
            guard failures + 1 >= Self.failuresMax else {
                state = .closed(failures: failures + 1)
                return false
            }
            state = .open(until: now.advanced(by: Self.pauseFirst), pause: Self.pauseFirst)
            return true
        case .open: return false
        case .halfOpen(_, let pause):
            let longer = min(pause * 2, Self.pauseMax)
            state = .open(until: now.advanced(by: longer), pause: longer)
            return false
        }
    }
}
