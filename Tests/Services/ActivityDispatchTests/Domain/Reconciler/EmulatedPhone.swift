import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import WireCoding

@testable import ActivityDispatch

/// An emulated iPhone in a random run: what becomes of a push, by its bytes and its token, and what the app sees.
struct EmulatedPhone {
    private var phone: PushedPhone
    /// Pushes that are not settled, or stored, by their `apns-id`.
    private var pushes: [String: (push: Push, replaced: Set<UUID>)] = [:]
    private var applied: [(push: Push, replaced: Set<UUID>)] = []
    /// How often each outcome was met.
    private(set) var outcomes: [PushOutcome: Int] = [:]
    /// What the app has scheduled, by instance.
    private var scheduled: [String: ActivityStep] = [:]
    private var startedByItself: [(card: UUID, activity: ActivityID, step: ActivityStep, at: Date)] = []

    /// Every second one is of iOS 26; each fourth of those has no token of what is pending, or takes pushes for it.
    init(seed: UInt64, at now: Date) {
        var settings = PushedPhone.Settings(
            osVersion: seed.isMultiple(of: 2) ? .scheduling : .inputPushToken, bundleID: "shop.nordhavn.app",
            tokenSeed: seed)
        settings.pendingHasToken = seed % 8 != 2
        settings.pendingTakesPushes = seed % 8 >= 4
        phone = PushedPhone(settings, at: now.epochSeconds)
    }

    /// Such as `26.0`.
    var systemVersion: String { phone.settings.osVersion.description }

    /// What started by itself since this was last called.
    mutating func takeStartedByItself() -> [(card: UUID, activity: ActivityID, step: ActivityStep, at: Date)] {
        defer { startedByItself = [] }
        return startedByItself
    }

    /// The app schedules what is wanted later and is not on the phone yet.
    ///
    /// - Returns: its instance; nil where it is there or the phone refuses it.
    mutating func schedule(_ wanted: WantedActivity, at now: Date) -> String? {
        guard let schedule = wanted.schedule, schedule.instance == nil, wanted.shown.startAt > now.epochSeconds,
            !phone.activities.contains(where: { $0.state.isLive && $0.attributes.activity == wanted.id.rawValue })
        else { return nil }
        let before = Set(phone.activities.map(\.instance))
        guard
            let effects = try? phone.startFromApp(
                wanted.shown, scheduledWith: schedule.alert, at: now.epochSeconds)
        else { return nil }
        settle(effects)
        let new = phone.activities.map(\.instance).first { !before.contains($0) }
        if let new { scheduled[new] = .show(wanted.shown) }
        return new
    }

    /// The app ends what is pending and not wanted then.
    mutating func endUnwanted(_ wanted: [WantedActivity], at now: Date) -> [(instance: String, card: UUID?)] {
        settle(phone.advance(to: now.epochSeconds))
        let known = Set(wanted.compactMap { $0.schedule?.instance })
        let unwanted = phone.activities.filter { $0.state == .pending && !known.contains($0.instance) }
        for one in unwanted { settle(phone.endFromApp(instance: one.instance, at: now.epochSeconds)) }
        return unwanted.map { ($0.instance, $0.attributes.card.flatMap(UUID.init)) }
    }

    func isPending(_ instance: String) -> Bool { phone.activity(instance)?.state == .pending }

    var startToken: PushToken? { phone.startToken.map(PushToken.init(stringLiteral:)) }

    /// - Returns: what APNs answers.
    mutating func receive(_ push: Push, to card: Card, replaced: Set<UUID>, at now: Date) -> PushResult {
        guard let token = push.token?.value, let bytes = push.checkedBytes else {
            return .mistake("it has no token, or its payload was not checked")
        }
        settle(phone.advance(to: now.epochSeconds))
        switch phone.status(of: token, at: now.epochSeconds) {
        case .valid: break
        case .expired(let since), .unregistered(let since):
            return .gone(token: token, since: Date(timeIntervalSince1970: TimeInterval(since)))
        case nil: return .gone(token: token)
        }
        let id = "\(push.card) \(push.timestamp)"
        pushes[id] = (push, replaced)
        settle(
            phone.deliver(
                PendingPush(
                    id: id, token: token, priority: push.priority == .high ? 10 : 5,
                    expiration: push.expiration(of: card), bytes: bytes), at: now.epochSeconds))
        return .accepted()
    }

    private mutating func settle(_ effects: [PhoneEffect]) {
        for case .screen(let event) in effects where event.kind == .start {
            guard let step = scheduled.removeValue(forKey: event.card.id),
                let card = event.card.attributes.card.flatMap(UUID.init),
                let activity = ActivityID(rawValue: event.card.attributes.activity)
            else { continue }
            startedByItself.append((card, activity, step, Date(timeIntervalSince1970: TimeInterval(event.at))))
        }
        for case .settled(let id, let outcome) in effects {
            outcomes[outcome, default: 0] += 1
            if outcome == .stored { continue }
            guard let push = pushes.removeValue(forKey: id), outcome == .applied else { continue }
            applied.append(push)
        }
    }

    /// What it has applied since this was last called, oldest first.
    mutating func takeApplied() -> [(push: Push, replaced: Set<UUID>)] {
        defer { applied = [] }
        return applied
    }

    mutating func setOnline(_ isOnline: Bool, at now: Date) {
        settle(phone.setOnline(isOnline, at: now.epochSeconds))
    }

    mutating func swipe(_ card: UUID, at now: Date) {
        for instance in instances(of: card) { settle(phone.swipe(instance: instance, at: now.epochSeconds)) }
    }

    mutating func endFromApp(instance: String, at now: Date) {
        settle(phone.endFromApp(instance: instance, at: now.epochSeconds))
    }

    private func instances(of card: UUID) -> [String] {
        phone.activities.filter { $0.attributes.card.flatMap(UUID.init) == card }.map(\.instance)
    }

    /// Our id of the card of an instance.
    func card(of instance: String) -> String? { phone.activity(instance)?.attributes.card }

    /// Everything that ActivityKit shows the app.
    mutating func seen(at now: Date) -> [DeviceReport.SeenInstance] {
        settle(phone.advance(to: now.epochSeconds))
        return phone.activities.compactMap { activity in
            ActivityID(rawValue: activity.attributes.activity).map {
                .init(
                    instance: activity.instance, card: activity.attributes.card.flatMap(UUID.init), activity: $0,
                    revision: activity.content.revision,
                    state: activity.state == .pending ? .pending : activity.state.isLive ? .active : .ended)
            }
        }
    }

    /// The token with which a card is updated.
    func updateToken(of instance: String) -> PushToken? {
        phone.activity(instance)?.updateToken.map(PushToken.init(stringLiteral:))
    }

    /// Where its screen is not what its deliveries are.
    ///
    /// - Parameters:
    ///   - activities: what is wanted.
    ///   - customer: who is signed in.
    mutating func untruths(_ activities: [ActivityID: Activity], of customer: CustomerID, at now: Date) -> [String] {
        settle(phone.advance(to: now.epochSeconds))
        // What is pending is on no screen.
        let live = phone.phone.liveCards.filter { $0.state.isLive && $0.state != .pending }
        let systemEnded = phone.phone.liveCards.filter { $0.state == .ended && $0.wasEndedBySystem }
        let left = systemEnded.filter { ended in
            live.contains { $0.attributes.activity == ended.attributes.activity }
                || ActivityID(rawValue: ended.attributes.activity).flatMap { activities[$0] }?.isEnded ?? true
        }
        let byActivity = Dictionary(grouping: live, by: \.attributes.activity).sorted { $0.key < $1.key }
        let untrue = byActivity.flatMap { name, cards -> [String] in
            guard let activity = ActivityID(rawValue: name).flatMap({ activities[$0] }) else {
                return ["\(name) is nobody's"]
            }
            var found: [String] = []
            if cards.count > 1 { found.append("\(name) has \(cards.count) cards") }
            if activity.isEnded { found.append("\(name) is over and on the screen") }
            if activity.customer != customer { found.append("\(name) is another customer's") }
            // The last update before the system ends a card has words of its own.
            let isAsWanted = cards.allSatisfy {
                $0.content == activity.wanted.content
                    || now.epochSeconds >= $0.startedAt + Phone.activeSecondsMax - 600
                        && $0.content.revision == activity.wanted.content.revision
            }
            if !isAsWanted { found.append("\(name) shows \(cards.map(\.content.revision))") }
            return found
        }
        return left.map { "an ended card of \($0.attributes.activity) is left" } + untrue
    }
}
