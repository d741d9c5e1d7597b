import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import WireCoding

/// A phone or a terminal that shows cards, and the customer who is signed in on it.
struct Device: Hashable, Sendable {
    enum Transport: String, CaseIterable, Codable, Sendable {
        /// Server-sent events that the device reads.
        case stream
        case apns
    }

    let id: DeviceID
    var customer: CustomerID
    /// The store that the device was registered for, with a token restricted to it; nil shows all of the customer's.
    var store: StoreID?
    var transport: Transport
    var locale: String
    var timeZone: String
    /// Whether its owner allows Live Activities.
    var isEnabled: Bool
    /// The app's account of the permission; nil where it sent none.
    var reportedPermission: ActivitiesPermission?
    var allowsFrequentPushes: Bool
    var appVersion: String?
    /// The token with which APNs starts a card; nil until the app reports one.
    var pushToStartToken: PushToken?
    var registeredAt: Date
    var starts: TokenBucket
    /// Why the app could not start a card, while that is to be waited for.
    var startFailure: StartFailure?
    /// The budget of priority 10 of all its cards together; nil before the first of them.
    var urgentPushes: TokenBucket?
    /// Failures of starts: a start token is the device's, so all of its cards wait.
    var startFailures = Failures()
    /// Nil where the app sent none.
    var osVersion: OSVersion?
    /// The app that shows the cards; nil where the app sent none and the configured one applies.
    var bundleID: BundleID?

    /// The app's report of a failed card start.
    struct StartFailure: Codable, Hashable, Sendable {
        /// The case's name in ActivityKit's `ActivityAuthorizationError`.
        let code: String
        /// The time until which no card is started.
        let until: Date
    }

    /// Whether the device may show an activity: its customer's, and of its store where it is registered for one.
    func mayShow(_ activity: Activity) -> Bool {
        activity.customer == customer && (store == nil || activity.store == store)
    }

    /// Whether a token with this scope may use the device: a token restricted to a store may use only devices
    /// registered for that store.
    func isUsable(within scope: TokenScope) -> Bool {
        scope.delivery == nil && (scope.store == nil || scope.store == store)
    }

    /// Records that the app could not start a card.
    ///
    /// A phone at its limit of cards has room again when another app's card ends. Errors about one card, about apps in
    /// the background (`visibility`), or without a statement about the device do not prevent starts by push.
    /// - Parameter failedAt: by the phone's clock, which may differ from the service's; a registration later than that is
    ///   newer than what a late report states of the permission.
    mutating func startFailed(_ code: String, at now: Date, failedAt: Date? = nil) {
        switch code {
        case "denied":
            if let failedAt, failedAt < registeredAt.addingTimeInterval(-Limits.clockDifferenceMax) { break }
            isEnabled = false
        case let code where Self.fullCodes.contains(code):
            startFailure = StartFailure(code: code, until: now.addingTimeInterval(15 * 60))
        case "unsupported", "unsupportedTarget", "unentitled":
            startFailure = StartFailure(code: code, until: now.addingTimeInterval(Self.startFailureMax))
        default: break
        }
    }

    /// The codes of a phone at its limit of cards.
    private static let fullCodes: Set = ["targetMaximumExceeded", "globalMaximumExceeded"]

    /// Records that one of the device's slots is free: a phone that was at its limit has room again.
    ///
    /// The phone's own place may become free later than the slot: the app reports `ended` then.
    mutating func slotFreed() {
        if let startFailure, Self.fullCodes.contains(startFailure.code) { self.startFailure = nil }
    }

    /// The longest, in seconds, that no card is started after the app could not.
    static let startFailureMax: TimeInterval = 3600

    /// The earliest time of a start after a failed one; nil where the clock was set back since.
    func startRetryAt(_ now: Date) -> Date? {
        starts.countedAt <= now.addingTimeInterval(Limits.clockDifferenceMax) ? startFailures.retryAt : nil
    }

    /// Whether a card can be started from here at all.
    var canStart: Bool { transport == .stream || (pushToStartToken != nil && !isTooOldToStart) }

    /// Spends a leased push from the device's budgets.
    mutating func spend(for push: Push, _ limits: Limits, at now: Date) {
        if push.event == .start { starts.spend(limits.starts, at: now) }
        guard push.isUrgent, let size = limits.deviceUrgentPushes else { return }
        var bucket = urgentPushes ?? TokenBucket(size, at: now)
        bucket.spend(size, at: now)
        urgentPushes = bucket
    }

    /// Whether the device's budget covers this number of priority-10 pushes.
    func isUrgentAffordable(_ limits: Limits, at now: Date, amount: Double) -> Bool {
        guard let size = limits.deviceUrgentPushes, let urgentPushes else { return true }
        return urgentPushes.delay(size, at: now, amount: amount) <= 0
    }

    /// Records the result of a push that was leased for one of its cards.
    ///
    /// - Parameter hadSlot: whether the card had a slot before the result.
    mutating func record(
        _ push: Push, _ result: PushResult, hadSlot: Bool, now: Date, timing: RetryTiming = .init()
    ) {
        if push.event == .start { recordStart(result, now: now, timing: timing) }
        switch result {
        case .accepted: if push.event == .end, hadSlot { slotFreed() }
        case .unknown: break
        case .notSent, .refused, .gone, .halted: if push.isUrgent { urgentPushes?.refund() }
        }
    }

    /// Records the result of a leased start.
    ///
    /// A start that certainly made no card costs none of the budget.
    mutating func recordStart(_ result: PushResult, now: Date, timing: RetryTiming = .init()) {
        switch result {
        case .accepted: startFailures = Failures()
        case .unknown: break
        case .halted: starts.refund()
        // Of one card's state, which waits.
        case .refused where result.isMistake: starts.refund()
        case .notSent, .refused:
            starts.refund()
            startFailures.backOff(after: result, now: now, timing: timing)
        case .gone(let token, let since, _):
            starts.refund()
            guard let known = pushToStartToken, known.value == token else { break }
            if known.isGone(token, since: since) {
                pushToStartToken = nil
                startFailures = Failures()
            } else {
                startFailures.backOff(after: result, now: now, timing: timing)
            }
        }
    }

    /// Whether the device's system is too old for starts by push.
    ///
    /// Starts are attempted on an unknown version.
    var isTooOldToStart: Bool { transport == .apns && osVersion.map { $0 < .pushToStart } ?? false }

    /// Whether a start is to ask for the card's update token; a system of an unknown version is asked.
    var isAskedForToken: Bool { osVersion.map { $0 >= .inputPushToken } ?? true }

    /// Applies a registration's start token; an omitted token keeps the present one, and a late token is ignored.
    mutating func apply(_ change: StartTokenChange?) {
        switch change {
        case .set(let token):
            guard token.replaces(pushToStartToken) else { return }
            if token.value != pushToStartToken?.value { startFailures = Failures() }
            pushToStartToken = token
        case .forget: pushToStartToken = nil
        case nil: break
        }
    }

    /// Whether both have the start token of one phone's app, which starts cards on that phone for each of them.
    ///
    /// An app without a bundle id is the configured one, which another registration of it may name.
    func sharesStartToken(with other: Device) -> Bool {
        guard id != other.id, let token = pushToStartToken, let known = other.pushToStartToken else { return false }
        let isOneApp = bundleID == nil || other.bundleID == nil || bundleID == other.bundleID
        return isOneApp && token.value == known.value && token.environment == known.environment
    }

    enum StartTokenChange: Hashable, Sendable {
        case set(PushToken)
        case forget
    }
}

extension Device {
    /// The owner's permission for Live Activities, as far as the app reports it.
    enum Permission: Hashable, Sendable {
        case allowed
        /// iOS asks with the app's first card.
        case notAsked
        /// Answered with no at the first card.
        case refused
        /// Switched off later, in the settings.
        case switchedOff
        /// Refused or switched off: iOS gives an app no more than that it may start none.
        case disallowed
    }
}

extension Device.Permission {
    /// The permission that both accounts agree on; ``Device/isEnabled`` is newer after a failed start.
    init(isEnabled: Bool, reported: ActivitiesPermission?) {
        self =
            switch (isEnabled, reported) {
            case (true, .notAsked): .notAsked
            case (true, .allowed), (true, .refused), (true, .switchedOff), (true, nil): .allowed
            case (false, .refused): .refused
            case (false, .switchedOff): .switchedOff
            case (false, .allowed), (false, .notAsked), (false, nil): .disallowed
            }
    }
}
