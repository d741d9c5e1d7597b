import FlowControl
import Foundation
import LiveActivity
import Messages

/// One Live Activity instance of an activity on a device: the actual state, as far as this service knows.
struct Card: Hashable, Sendable {
    enum State: String, CaseIterable, Codable, Sendable {
        /// It may start when its time comes.
        case waiting
        /// A start was sent and is not confirmed yet.
        case starting
        case active
        /// Its end was sent; it stays on the Lock Screen until its dismissal.
        case ended
        /// Its dismissal time has passed.
        case dismissed
        /// The person swiped it away: it does not come back.
        case swiped
        /// Another card replaced it after seven and a half hours.
        case replaced
        /// It was taken off because another customer signed in.
        case signedOut = "signed_out"
        /// Its start was never confirmed, or it no longer has a token that works.
        case lost

        /// Whether something about it may still change.
        var isOpen: Bool {
            switch self {
            case .waiting, .starting, .active, .ended: true
            case .dismissed, .swiped, .replaced, .signedOut, .lost: false
            }
        }

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

    /// A state of which no payload can be made that a phone takes, or of which APNs took none.
    struct RejectedContent: Codable, Hashable, Sendable {
        /// What APNs refused as our mistake: the same push of the same state waits, and nothing else does.
        struct Refusal: Codable, Hashable, Sendable {
            let event: Push.Event
            /// Domain time of the next try.
            let retryAt: Date
        }

        let revision: Revision
        /// Of a refusal the nearest, for readers that know of no other than their own check's.
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
    /// What the transport last accepted for it; nil when it is unknown what the card shows.
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
    /// When it leaves the Lock Screen, once ended.
    var dismissedAt: Date?
    /// Of any push to it.
    var failures = Failures()
    /// The revision that was sent a second time before it went stale; while ``sent`` is nil, the one that got lost.
    var refreshed: Revision?
    /// When its end is sent once more: nobody has said that it arrived.
    var endRepeatAt: Date?
    var urgentPushes: TokenBucket
    /// Of the attributes that it was started with, which the phone keeps beside its content; nil where not known.
    var attributesBytes: Int?
    /// What could not be sent to it as it is, or was refused as our mistake.
    var rejected: RejectedContent?
    /// The end of the arrival in its newest push at priority 10, epoch seconds; nil where that had none.
    var urgentArrival: Int?
    /// Fencing token: rises with each push, so that the result of an older push changes nothing.
    var fencingToken = 0
    /// Its newest push, while that has no result; nil where the push is a write of the transaction that leases it.
    var inFlight: InFlight?
    /// The token with which APNs updates it.
    var updateToken: PushToken?
    /// An operator wants it off the screen, whatever the delivery does.
    var mustEnd = false

    /// When its newest push was leased; nil where a clock said so that was set back since, so that nothing waits for it.
    func pushedAt(_ now: Date) -> Date? {
        lastPushAt.flatMap { $0 <= now.addingTimeInterval(Limits.clockDifferenceMax) ? $0 : nil }
    }

    /// Alerts remembered per card: more than one delivery ever has.
    static let alertedIDsMax = 32

    init(id: UUID, activity: ActivityID, device: DeviceID, replaces: UUID? = nil, urgentPushes: TokenBucket) {
        self.id = id
        self.activity = activity
        self.device = device
        self.replaces = replaces
        self.urgentPushes = urgentPushes
    }
}
