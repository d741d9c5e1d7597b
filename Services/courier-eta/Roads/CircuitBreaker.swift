/// Whether something that fails may be asked again: pure, over a time passed in.
///
/// Closed it lets every question through. After `failuresMax` failures in a row it is open and lets none through until
/// its pause is over; then it lets one through, and that one's outcome closes it or opens it for twice as long.
struct CircuitBreaker: Hashable, Sendable {
    typealias Moment = ContinuousClock.Instant

    static let failuresMax = 5
    static let pauseFirst = Duration.seconds(10)
    static let pauseMax = Duration.seconds(300)

    enum State: Hashable, Sendable {
        case closed(failures: Int)
        case open(until: Moment, pause: Duration)
        /// One question is out, and is given up on where its outcome is not noted by then.
        case halfOpen(until: Moment, pause: Duration)
    }

    private(set) var state = State.closed(failures: 0)

    /// Whether a question would be let through.
    func lets(at now: Moment) -> Bool {
        switch state {
        case .closed: true
        case .open(let until, _), .halfOpen(let until, _): now >= until
        }
    }

    /// Lets a question through, or not; whoever is let through notes the outcome.
    mutating func ask(at now: Moment) -> Bool {
        guard lets(at: now) else { return false }
        switch state {
        case .closed: break
        case .open(_, let pause), .halfOpen(_, let pause):
            state = .halfOpen(until: now.advanced(by: Self.pauseFirst), pause: pause)
        }
        return true
    }

    /// A question was answered; whether that closes it.
    mutating func noteSuccess() -> Bool {
        switch state {
        case .closed:
            state = .closed(failures: 0)
            return false
        case .open:
            // Asked before it opened: one late answer is no proof.
            return false
        case .halfOpen:
            state = .closed(failures: 0)
            return true
        }
    }

    /// A question failed; whether that opens it, after it was closed.
    mutating func noteFailure(at now: Moment) -> Bool {
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
