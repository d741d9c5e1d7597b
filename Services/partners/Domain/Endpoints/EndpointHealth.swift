import DomainTime
import Foundation

/// An endpoint's health: whether events are sent to it, and how many concurrently.
struct EndpointHealth: Hashable, Sendable {
    /// When it got its present address or was enabled last, before which attempts are no failures of it; nil for never.
    var countsFrom: Date?
    /// The beginning of the first failed attempt after which nothing has succeeded; nil while it does.
    var failingSince: Date?
    /// When a failure was last noted; nil while nothing fails.
    var failedAt: Date?
    /// Failed attempts since then; concurrent ones count as one.
    var failures = 0
    /// The end of the pause; nil for none.
    var pausedUntil: Date?
    /// Nil while events are sent.
    var disabled: DisabledReason?

    enum DisabledReason: String, Sendable {
        /// The endpoint answered 410.
        case gone
        /// No attempt has succeeded within the limit of days.
        case failing
        /// An authorised person requested it.
        case asked
    }

    /// Days without a success after which the endpoint is disabled.
    ///
    /// - Source: as Svix does, docs.svix.com/retries.
    static let failingDaysMax = 5.0
    /// Concurrent attempts per process to a healthy endpoint.
    static let inFlightMax = 8
    /// Seconds after a failure before the next attempt to the same endpoint, doubled by each in a row up to the second.
    static let pauseSeconds = (first: 1.0, longest: 60.0)
    /// Seconds for which a receiver may ask not to be sent anything.
    static let retryAfterMax = 86_400.0

    /// The most concurrent attempts: one during a failure, so that waiting events use few of theirs before the recovery.
    var inFlightMax: Int { failingSince == nil ? Self.inFlightMax : 1 }

    /// Records the outcome of an attempt.
    ///
    /// An attempt that began before a recorded failure proves nothing about the time after it: its success ends no
    /// pause, and its failure is the same one. A failure of before the clock was set back is earlier than any attempt,
    /// and its pause is over.
    /// - Parameter begun: the attempt's beginning.
    /// - Returns: whether it is the first success after failures, after which waiting events become due.
    mutating func record(_ outcome: AttemptOutcome, begun: Date, at now: Date) -> Bool {
        let isSetBack = failedAt.map { $0 > now.addingTimeInterval(DomainClock.replicaDifferenceMax) } ?? false
        if isSetBack { pausedUntil = nil }
        let isEarlier = !isSetBack && (failedAt.map { begun < $0 } ?? false)
        switch outcome {
        case .delivered:
            guard !isEarlier else { return false }
            let hasRecovered = failingSince != nil
            failingSince = nil
            failedAt = nil
            failures = 0
            pausedUntil = nil
            return hasRecovered
        case .gone:
            fail(begun: begun, at: now, for: nil, isEarlier: isEarlier)
            disabled = disabled ?? .gone
        case .throttled(let asked): fail(begun: begun, at: now, for: asked, isEarlier: isEarlier)
        case .failed: fail(begun: begun, at: now, for: nil, isEarlier: isEarlier)
        }
        return false
    }

    private mutating func fail(begun: Date, at now: Date, for asked: Double?, isEarlier: Bool) {
        let since = min(failingSince ?? begun, begun)
        failingSince = since
        if !isEarlier {
            failures += 1
            failedAt = now
        }
        let doubled = Self.pauseSeconds.first * pow(2, Double(min(failures, 30) - 1))
        let pause = min(max(asked ?? 0, min(doubled, Self.pauseSeconds.longest)), Self.retryAfterMax)
        pausedUntil = max(pausedUntil ?? now, now.addingTimeInterval(pause))
        if now.timeIntervalSince(since) >= Self.failingDaysMax * 86_400 { disabled = disabled ?? .failing }
    }

    /// Forgets the failures and the pause of a former address; a disabled endpoint stays disabled.
    mutating func move(at now: Date) {
        self = EndpointHealth(countsFrom: now, disabled: disabled)
    }

    /// Ignores an attempt that a process began at the former address before it knew of the present one.
    mutating func ignore(begun: Date) {
        countsFrom = max(countsFrom ?? .distantPast, begun.addingTimeInterval(0.001))
    }

    /// Resumes sending events.
    mutating func enable(at now: Date) {
        self = EndpointHealth(countsFrom: now)
    }
}

/// The outcome of an attempt to deliver an event.
enum AttemptOutcome: Hashable, Sendable {
    case delivered
    /// The endpoint answered 410: it accepts no further events.
    case gone
    /// The receiver demands a pause, in seconds where it sends a time.
    case throttled(seconds: Double?)
    case failed

    /// - Parameters:
    ///   - status: the answer's status; nil without an answer.
    ///   - retryAfter: the pause that the receiver demands, in seconds.
    /// - Source: Standard Webhooks 1.0.0, "Deliverability": 2xx alone is success, 410 demands an end, 429, 502 and 504
    ///   demand fewer.
    init(status: Int?, retryAfter: Double?) {
        switch status {
        case .some(200...299): self = .delivered
        case 410: self = .gone
        case 429, 502, 504: self = .throttled(seconds: retryAfter)
        case .some where retryAfter != nil: self = .throttled(seconds: retryAfter)
        case .some, nil: self = .failed
        }
    }

    /// The code for the metric.
    var code: String {
        switch self {
        case .delivered: "delivered"
        case .gone: "gone"
        case .throttled: "throttled"
        case .failed: "failed"
        }
    }
}
