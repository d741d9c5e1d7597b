import FlowControl
import Foundation

/// The limits of the reconciler, one set per transport.
///
/// Apple publishes no budgets; those of `apns` come from field reports and are meant to be configured.
struct Limits: Hashable, Sendable {
    /// Doorstep's cards on one device, the summary included; by field reports iOS allows five per app.
    var cardsPerDeviceMax = 5
    /// The fewest seconds before a card's start for an app to schedule it: a push or the app starts earlier ones.
    static let scheduledAheadMin: TimeInterval = 5 * 60
    /// The most seconds before a card's start for an app to schedule it: a day, for an app opened the evening before.
    static let scheduledAheadMax: TimeInterval = 24 * 3600
    /// Seconds between two pushes to a card that a person acts on; an end does not wait.
    var pushInterval: TimeInterval = 1
    /// Seconds between two pushes that only refine the card's content.
    var driftInterval: TimeInterval
    /// The seconds between such pushes on a phone whose owner switched frequent updates off.
    var infrequentDriftInterval: TimeInterval
    /// Pushes of priority 10 per card.
    var urgentPushes: TokenBucket.Size
    /// The budget on a phone whose owner switched frequent updates off.
    var infrequentUrgentPushes: TokenBucket.Size?
    /// Pushes of priority 10 per device; nil where only its cards have budgets.
    var deviceUrgentPushes: TokenBucket.Size?
    /// The device's budget on a phone whose owner switched frequent updates off.
    var infrequentDeviceUrgentPushes: TokenBucket.Size?
    /// The number of pushes of both budgets reserved for alerts.
    var alertReserve: Double = 0
    /// The number on a phone whose owner switched frequent updates off: a few states must not use up the alert at the
    /// door.
    var infrequentAlertReserve: Double = 0
    /// Starts per device.
    var starts: TokenBucket.Size
    /// Seconds before the stale date at which an unchanged card is pushed again; nil where no push is ever lost.
    var staleLead: TimeInterval?
    /// Seconds before the stale date at which a card gets a later stale date of a valid state.
    var heartbeatLead: TimeInterval
    /// Seconds after which an unconfirmed end is repeated; nil where no push is ever lost.
    var endRepeatedAfter: TimeInterval?
    /// The factor of each wait over the previous one.
    static let endRepeatFactor: Double = 4
    /// The upper bound of such a wait in seconds: after two minutes and eight there is no third.
    ///
    /// APNs eventually refuses the token of an ended card, and refusals slow every sender.
    static let endRepeatWaitMax: TimeInterval = 15 * 60
    /// Seconds that a card is active before it is replaced; the system ends it at eight hours.
    var replacedAfter: TimeInterval = 7.5 * 3600
    /// Seconds after which the system ends a card (ActivityKit).
    static let systemActiveMax: TimeInterval = 8 * 3600
    /// Seconds by which the clocks of phones and replicas may differ from this one.
    ///
    /// A time further ahead than that was written by a clock that was set back since.
    static let clockDifferenceMax: TimeInterval = 60
    /// Seconds after which a card that is not replaced yet receives its last update: the system is about to end it.
    var lastWordAfter: TimeInterval = systemActiveMax - 5 * 60
    /// Seconds after which the system has certainly ended a card, even where its start needed ten minutes to arrive.
    var leftToSystemAfter: TimeInterval = systemActiveMax + 10 * 60
    /// Seconds after which an unconfirmed start counts as lost: eight hours active and four on the Lock Screen.
    var confirmationMax: TimeInterval = 12 * 3600
    /// Seconds by which an arrival must move for a person to act on it; less is drift.
    var arrivalDrift: TimeInterval = 5 * 60
    /// Whether a sent start certainly made a card.
    ///
    /// The device stream stores a start until it is read, and its card has the service's id, so sending is idempotent;
    /// a push to APNs is neither stored nor idempotent.
    var isStartCertain: Bool

    /// The limits that hold on a device: smaller where its owner switched frequent updates off.
    func on(_ device: Device) -> Limits {
        guard !device.allowsFrequentPushes else { return self }
        var limits = self
        limits.driftInterval = infrequentDriftInterval
        limits.urgentPushes = infrequentUrgentPushes ?? urgentPushes
        limits.deviceUrgentPushes = infrequentDeviceUrgentPushes ?? deviceUrgentPushes
        limits.alertReserve = infrequentAlertReserve
        return limits
    }

    /// Whether a push may be lost after it was accepted; the device stream stores each until it is read.
    var losesPushes: Bool { !isStartCertain }

    /// Whether a card is updated and ended with a token that its app uploads.
    var needsUpdateToken: Bool { !isStartCertain }

    static let stream = Limits(
        driftInterval: 1, infrequentDriftInterval: 1, urgentPushes: .init(capacity: 600, secondsPerToken: 6),
        starts: .init(capacity: 100, secondsPerToken: 30), staleLead: nil, heartbeatLead: 30, isStartCertain: true)

    static let apns = Limits(
        driftInterval: 15, infrequentDriftInterval: 120, urgentPushes: .init(capacity: 15, secondsPerToken: 240),
        infrequentUrgentPushes: .init(capacity: 4, secondsPerToken: 900),
        deviceUrgentPushes: .init(capacity: 30, secondsPerToken: 120),
        infrequentDeviceUrgentPushes: .init(capacity: 6, secondsPerToken: 600), infrequentAlertReserve: 2,
        starts: .init(capacity: 8, secondsPerToken: 1800), staleLead: 60, heartbeatLead: 180, endRepeatedAfter: 120,
        isStartCertain: false)
}
