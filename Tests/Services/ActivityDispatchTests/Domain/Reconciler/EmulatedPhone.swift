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

    init(seed: UInt64, at now: Date) {
        phone = PushedPhone(
            .init(osVersion: .inputPushToken, bundleID: "shop.nordhavn.app", tokenSeed: seed), at: now.epochSeconds)
    }

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

    mutating func endFromApp(_ card: UUID, at now: Date) {
        for instance in instances(of: card) { settle(phone.endFromApp(instance: instance, at: now.epochSeconds)) }
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
                    revision: activity.content.revision, state: activity.state.isLive ? .active : .ended)
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
        let live = phone.phone.liveCards.filter(\.state.isLive)
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
