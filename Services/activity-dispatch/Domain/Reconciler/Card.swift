import FlowControl
import Foundation
import LiveActivity
import Messages

/// One Live Activity instance of an activity on a device: the actual state, as far as this service knows.
struct Card: Hashable, Sendable {
    enum State: String, CaseIterable, Codable, Sendable {
        /// The card waits for its start.
        case waiting
        /// A start was sent and is not confirmed yet.
        case starting
        case active
        /// The end was sent; the card stays on the Lock Screen until its dismissal.
        case ended
        /// The dismissal time has passed.
        case dismissed
        /// The person swiped the card away: it does not return.
        case swiped
        /// Another card replaced it after seven and a half hours.
        case replaced
        /// The card was ended because another customer signed in.
        case signedOut = "signed_out"
        /// The start was never confirmed, or the card no longer has a valid token.
        case lost

        /// Whether something about it may still change.
        var isOpen: Bool {
            switch self {
            case .waiting, .starting, .active, .ended: true
            case .dismissed, .swiped, .replaced, .signedOut, .lost: false
            }
        }

        /// Whether the health of its delivery's cards counts it.
        var isCounted: Bool { self == .waiting || isOnScreen }

        /// Whether it has one of the phone's slots, or may have.
        var isOnScreen: Bool {
            switch self {
            case .starting, .active: true
            case .waiting, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost: false
            }
        }
    }

    /// A push that was leased and whose result is not recorded yet.
    struct InFlight: Codable, Hashable, Sendable {
        let event: Push.Event
        /// The state that the card has once the transport has accepted it.
        let becomes: State
        /// The id of the alert that is reserved for it.
        var alert: String?
        /// Whether its bytes may have left; before that it is certain that they have not.
        var isHandedOver = false
    }

    /// A state whose payload no phone could decode, or whose push APNs refused.
    struct RejectedContent: Codable, Hashable, Sendable {
        /// APNs refused the push as faulty: only the same push of the same state waits.
        struct Refusal: Codable, Hashable, Sendable {
            let event: Push.Event
            /// Domain time of the next try.
            let retryAt: Date
        }

        let revision: Revision
        /// The closest fault of a refusal, for readers that know only the faults of their own check.
        let fault: PayloadFault
        /// Nil where it was not sent at all.
        var refusal: Refusal?
    }

    let id: UUID
    let activity: ActivityID
    let device: DeviceID
    /// ActivityKit's own id of it, as its app reported it; a card has one at most.
    var instance: String?
    /// The card that this one replaces.
    var replaces: UUID?
    var state: State = .waiting
    /// The transport's last accepted state; nil when the card's screen is unknown.
    var sent: ActivityStep?
    /// `timestamp` of its newest push, epoch seconds; the next is higher.
    var lastTimestamp = 0
    /// When its newest push was leased.
    var lastPushAt: Date?
    /// The newest revision that the app reported as shown.
    var shown: Revision?
    /// The newest revision that the app put on it itself, without a push.
    var updatedByApp: Revision?
    /// Alerts that were reserved for it, the newest last.
    var alertedIDs: [String] = []
    var startedAt: Date?
    /// When the phone starts it without a push, as its app has scheduled it; kept after such a start.
    var scheduledAt: Date?
    /// When it leaves the Lock Screen, once ended; of a lost card, when its app saw that it had left, with the switch on.
    var dismissedAt: Date?
    /// Failures of any push to the card.
    var failures = Failures()
    /// The revision that was sent a second time before it went stale; while ``sent`` is nil, the lost revision.
    var refreshed: Revision?
    /// The time to repeat its end, which no report has confirmed.
    var endRepeatAt: Date?
    var urgentPushes: TokenBucket
    /// The size of the attributes at its start, which the phone stores with the content; nil where unknown.
    var attributesBytes: Int?
    /// The state that could not be sent unchanged, or that APNs refused as faulty.
    var rejected: RejectedContent?
    /// The end of the arrival in its newest push at priority 10, epoch seconds; nil where that had none.
    var urgentArrival: Int?
    /// Fencing token: rises with each push, so that the result of an older push changes nothing.
    var fencingToken = 0
    /// The newest push, while it has no result; nil where the push is a write of the leasing transaction.
    var inFlight: InFlight?
    /// The token with which APNs updates it.
    var updateToken: PushToken?
    /// Whether a lost card left by the switch for Live Activities: no report about that is of a swipe.
    var isRemovedBySwitch = false
    /// An operator has ended the card, whatever the delivery's status.
    var mustEnd = false

    /// The time of its newest lease; nil where the clock was set back since, so that no push waits for that time.
    func pushedAt(_ now: Date) -> Date? {
        lastPushAt.flatMap { $0 <= now.addingTimeInterval(Limits.clockDifferenceMax) ? $0 : nil }
    }

    /// Whether it waits on the phone, which starts it without a push; its token can end it.
    var isScheduled: Bool { state == .waiting && scheduledAt != nil }

    /// Whether it waits for a start by push, so that no instance of it is known.
    var isUnscheduled: Bool { state == .waiting && scheduledAt == nil }

    /// Whether it has one of the phone's slots, or may have: a scheduled card counts towards the system's limit too.
    var hasSlot: Bool { state.isOnScreen || isScheduled }

    /// Whether it has a slot at a time, or may have: a start that was never confirmed has none once the system has
    /// certainly ended its card.
    func hasSlot(_ limits: Limits, at now: Date) -> Bool {
        guard state == .starting, let startedAt else { return hasSlot }
        return now < startedAt.addingTimeInterval(limits.leftToSystemAfter)
    }

    /// Alerts remembered per card: more than one delivery ever has.
    static let alertedIDsMax = 32
}
