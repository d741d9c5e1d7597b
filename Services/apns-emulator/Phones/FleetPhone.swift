import EmulatorAPI
import Foundation
import LiveActivity
import PhoneRules

/// One phone of the emulator: its rules, its place in Apple's service, and what is remembered of its pushes.
struct FleetPhone: Sendable {
    /// Pushes that are remembered, the newest.
    static let logLinesMax = 500

    let id: String
    let environment: APNsEnvironment
    let topic: String
    let language: String
    /// The service at which the app registers; nil for a phone whose app uses no service.
    let service: AppService?
    var phone: PushedPhone
    /// The outcomes of pushes, oldest first.
    private(set) var log: [PushLogLine] = []
    /// The numbers of settled pushes, by outcome.
    private(set) var counts: [String: Int] = [:]
    /// The error of the app's last exchange with its service; nil before the first and after a success.
    var appError: String?
    var nextChangeAt: Int?
    var indexedTokensVersion = -1
    var observers: [UUID: AsyncStream<Void>.Continuation] = [:]
    var inbox: AsyncStream<AppNotice>.Continuation?

    /// The service at which an emulated app registers and reports, with the app's identity.
    struct AppService: Hashable, Sendable {
        /// Base URL of `activity-dispatch`.
        let url: String
        /// The customer's token.
        let token: String
        /// The device's id there.
        let device: String
    }

    init(
        id: String, environment: APNsEnvironment, language: String, service: AppService?, phone: PushedPhone
    ) {
        self.id = id
        self.environment = environment
        topic = phone.settings.bundleID + PushRequest.topicSuffix
        self.language = language
        self.service = service
        self.phone = phone
    }

    /// Delivers a push for one of its tokens, in one access: a copy of a phone costs more than a push.
    ///
    /// - Returns: the refusal of Apple's service in place of 200, and whether the phone's tokens changed.
    mutating func receive(
        _ push: PendingPush, envelope: PushEnvelope, topic: String, environment: APNsEnvironment, at now: Int
    ) -> (refusal: Refusal?, hasOtherTokens: Bool) {
        guard self.environment == environment else { return (Refusal(.badDeviceToken), false) }
        guard self.topic == topic else { return (Refusal(.deviceTokenNotForTopic), false) }
        switch phone.status(of: push.token, at: now) {
        case .valid: break
        case .expired(let since): return (Refusal(.expiredToken, since: since), false)
        case .unregistered(let since): return (Refusal(.unregistered, since: since), false)
        case nil: return (Refusal(.badDeviceToken), false)
        }
        let effects = phone.deliver(push, envelope: envelope, at: now)
        return (nil, settle(effects, push: push, envelope, at: now))
    }

    /// Records effects, and passes them to the app and to observers.
    ///
    /// - Parameter push: the delivered push; nil for another action, of which observers get a notice.
    /// - Returns: whether the phone's tokens changed.
    mutating func settle(
        _ effects: [PhoneEffect], push: PendingPush? = nil, _ envelope: PushEnvelope? = nil, at now: Int
    ) -> Bool {
        var hasChanged = push == nil
        for effect in effects {
            switch effect {
            case .screen: hasChanged = true
            case .app(let notice): inbox?.yield(notice)
            case .settled(let pushID, let outcome):
                hasChanged = true
                var line = PushLogLine(at: now, id: pushID, outcome: outcome)
                if let push, push.id == pushID {
                    line.event = envelope?.event?.rawValue
                    line.timestamp = envelope?.timestamp
                    line.priority = push.priority
                    line.bytes = push.bytes.count
                }
                record(line)
            }
        }
        let hasOtherTokens = indexedTokensVersion != phone.tokensVersion
        indexedTokensVersion = phone.tokensVersion
        nextChangeAt = phone.nextChange(after: now)
        if hasChanged || hasOtherTokens { for observer in observers.values { observer.yield() } }
        return hasOtherTokens
    }

    /// Writes down a push, or that a stored one was settled.
    private mutating func record(_ line: PushLogLine) {
        counts[line.outcome.rawValue, default: 0] += 1
        // Cut by halves, so that a flood of pushes does not move the log at each.
        if log.count >= Self.logLinesMax * 2 { log.removeFirst(log.count - Self.logLinesMax) }
        log.append(line)
    }
}
