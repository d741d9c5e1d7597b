import FlowControl
import Foundation

/// The result of a push.
enum PushResult: Hashable, Sendable {
    /// Accepted for delivery, which does not prove that the phone shows it; with APNs' id.
    case accepted(id: UUID? = nil)
    /// The push was certainly not processed.
    case notSent(String)
    /// Certainly not shown.
    ///
    /// - Parameters:
    ///   - retryAfter: the least wait in wall seconds, where the server demanded one.
    ///   - isMistake: whether the push itself was faulty and would fail again: another state may be accepted.
    case refused(reason: String, retryAfter: TimeInterval? = nil, isMistake: Bool = false)
    /// The push may have been shown: no answer came.
    case unknown(String)
    /// The push's token is invalid.
    ///
    /// - Parameters:
    ///   - since: wall time of APNs' knowledge; nil where APNs sends none.
    ///   - reason: APNs' reason.
    case gone(token: String, since: Date? = nil, reason: String? = nil)
    /// Pushes for this app with this key are halted until an operator corrects the configuration.
    case halted(reason: String)

    var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }

    /// The reason of a failure, nil where the push was accepted.
    ///
    /// Only repeated failures for the same reason lengthen the next wait.
    var failureReason: String? {
        switch self {
        case .accepted: nil
        case .notSent: "not_sent"
        case .unknown: "unknown"
        case .gone: "gone"
        case .halted: "halted"
        case .refused(let reason, _, _): reason
        }
    }
}

extension PushResult {
    /// Wall seconds before a push that is our own mistake is tried again: the state may have changed by then.
    private static let mistakeRetryAfter: TimeInterval = 15 * 60

    /// The result of an APNs answer.
    ///
    /// An unknown reason is kept unchanged, and the status decides.
    /// - Parameters:
    ///   - retryAfter: wall seconds, of the answer's header.
    ///   - since: from the body, where the token is invalid.
    ///   - token: the push's token.
    /// - SeeAlso: Apple, "Handling notification responses from APNs".
    init(status: Int, reason: String, retryAfter: TimeInterval?, since: Date?, token: String) {
        switch (status, reason) {
        case (200, _): self = .accepted()
        case (_, "BadDeviceToken"), (_, "DeviceTokenNotForTopic"): self = .gone(token: token, reason: reason)
        case (410, _): self = .gone(token: token, since: since, reason: reason)
        case (_, "IdleTimeout"), (_, "UnrelatedKeyIdInToken"):
            // A new connection suffices.
            self = .refused(reason: reason, retryAfter: retryAfter)
        case (_, "BadTopic"), (_, "MissingTopic"), (_, "TopicDisallowed"), (_, "TooManyProviderTokenUpdates"),
            (401, _), (403, _):
            self = .halted(reason: reason)
        // Apple sends no redirections: a proxy on the way sent it, and may not do so the next time.
        case (429, _), (500..., _), (300..<400, _): self = .refused(reason: reason, retryAfter: retryAfter)
        default: self = .mistake(reason, retryAfter: retryAfter)
        }
    }

    /// A fault that persists until the state changes.
    ///
    /// - Parameter retryAfter: the least wait in wall seconds, where the server demanded one.
    static func mistake(_ reason: String, retryAfter: TimeInterval? = nil) -> PushResult {
        .refused(reason: reason, retryAfter: max(retryAfter ?? 0, mistakeRetryAfter), isMistake: true)
    }

    var isMistake: Bool {
        if case .refused(_, _, let isMistake) = self { isMistake } else { false }
    }
}

/// The wait after a failure, in wall time, of which domain time may be a multiple.
struct RetryTiming: Sendable {
    /// Domain seconds in a wall second.
    var clockRate: Double = 1
    /// The random jitter, from 0 to 1.
    var jitter: Double = 0

    /// Domain time of the next try.
    func next(after result: PushResult, failures: Int, now: Date) -> Date {
        let (backOff, least) = result.retry
        let wait = max(backOff.delay(failures: failures, jitter: jitter) / .seconds(1), least)
        return now.addingTimeInterval(wait * clockRate)
    }
}

extension PushResult {
    /// The delays after failures of this kind, and the wall seconds that are waited at least.
    fileprivate var retry: (BackOff, least: TimeInterval) {
        switch self {
        case .refused(let reason, let retryAfter, _):
            // Apple allows another try of a 5xx within 15 minutes.
            let first: Duration = reason == "TooManyRequests" ? .seconds(10) : .seconds(1)
            return (BackOff(first: first, longest: .seconds(900)), retryAfter ?? 0)
        case .gone: return (BackOff(first: .seconds(60), longest: .seconds(3600)), 0)
        case .notSent: return (BackOff(first: .seconds(1), longest: .seconds(60)), 0)
        case .accepted, .unknown, .halted: return (BackOff(first: .seconds(1), longest: .seconds(300)), 0)
        }
    }
}
