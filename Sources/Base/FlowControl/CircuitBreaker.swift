package import Foundation

/// A circuit breaker with exponential back-off: pure, over a time passed in.
///
/// Closed it admits every request. After some failures in a row it opens and admits none until its pause is over; half
/// open it admits one, whose outcome closes it or opens it for twice as long. A user that calls ``admits(at:)`` alone
/// sends any number after the pause.
package struct CircuitBreaker<Moment: BreakerMoment>: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case closed(failures: Int)
        /// - Parameter openings: since it was closed.
        case open(until: Moment, openings: Int)
        /// One request is in flight, and counts as lost without a result by then.
        case halfOpen(until: Moment, openings: Int)
    }

    private let failuresMax: Int
    private let pauses: BackOff
    package private(set) var state = State.closed(failures: 0)

    /// - Parameter failuresMax: the failures in a row that open it.
    package init(failuresMax: Int, pauses: BackOff) {
        self.failuresMax = failuresMax
        self.pauses = pauses
    }

    /// The end of its last pause, which may have passed; nil where it is closed.
    package var until: Moment? {
        switch state {
        case .closed: nil
        case .open(let until, _), .halfOpen(let until, _): until
        }
    }

    /// Whether a request would be admitted, also after a clock was set back by more than a pause.
    package func admits(at now: Moment) -> Bool {
        until.map { now >= $0 || $0 > now.advanced(by: pauses.longest) } ?? true
    }

    /// Admits a request, or not; the caller records the outcome of an admitted one.
    package mutating func admit(at now: Moment) -> Bool {
        guard admits(at: now) else { return false }
        switch state {
        case .closed: break
        case .open(_, let openings), .halfOpen(_, let openings):
            state = .halfOpen(until: now.advanced(by: pauses.first), openings: openings)
        }
        return true
    }

    /// Records an answered request.
    ///
    /// - Returns: whether that closes the breaker.
    package mutating func recordSuccess() -> Bool {
        // Requested before it opened: one late answer is no evidence.
        if case .open = state { return false }
        return close()
    }

    /// Closes it.
    ///
    /// - Returns: whether it was not closed.
    package mutating func close() -> Bool {
        defer { state = .closed(failures: 0) }
        return until != nil
    }

    /// Records a failed request; in a pause, one that was sent before it opened changes nothing.
    ///
    /// - Parameter jitter: of the pause, from 0 to 1.
    /// - Returns: whether that opens the breaker after it was closed.
    package mutating func recordFailure(at now: Moment, jitter: Double = 0) -> Bool {
        switch state {
        case .closed(let failures) where failures + 1 < failuresMax:
            state = .closed(failures: failures + 1)
            return false
        case .closed:
            pause(openings: 1, at: now, jitter: jitter)
            return true
        case .open where !admits(at: now): return false
        case .open(_, let openings), .halfOpen(_, let openings):
            pause(openings: openings + 1, at: now, jitter: jitter)
            return false
        }
    }

    private mutating func pause(openings: Int, at now: Moment, jitter: Double) {
        let pause = pauses.delay(failures: openings, jitter: jitter)
        state = .open(until: now.advanced(by: pause), openings: openings)
    }
}

/// A time of the clock that a breaker's owner passes in.
package protocol BreakerMoment: Comparable, Hashable, Sendable {
    func advanced(by wait: Duration) -> Self
}

extension ContinuousClock.Instant: BreakerMoment {}

extension Date: BreakerMoment {
    package func advanced(by wait: Duration) -> Date { addingTimeInterval(wait / .seconds(1)) }
}
