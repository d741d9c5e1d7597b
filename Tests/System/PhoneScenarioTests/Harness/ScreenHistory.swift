import EmulatorAPI
import Foundation
import LiveActivity
import Messages
import PhoneRules
import WireCoding

@testable import APNsEmulator
@testable import ActivityDispatch

/// What one phone showed so far, and where it broke what must always hold.
struct ScreenHistory: Sendable {
    /// Domain seconds for which two cards of one delivery may be on a screen that has a network: until the first has got
    /// its end.
    ///
    /// A phone may drop that for its budget, or have lost it while it was offline; then it is sent once more, and again
    /// after a longer wait. Each of the three may take a lease, where its process dies, and the back-off of as many
    /// refusals as a fault makes.
    static let duplicatesMax: TimeInterval = {
        let first = Limits.apns.endRepeatedAfter ?? 0
        let lease = DispatchConfiguration().leaseDuration
        let refusals = TimeInterval(TenHoursTests.faultTimesMax * TenHoursTests.retryAfter)
        return first + first * Limits.endRepeatFactor + 3 * lease + refusals + noteInterval
    }()
    /// Domain seconds for which a card that the system has ended may be beside one that lives, while its app runs and has
    /// a network: until the app reports again, as it does with the next content at the latest.
    static let leftBehindMax = duplicatesMax + 20 * 60
    /// Domain seconds after which a screen with two is noted again.
    static let noteInterval: TimeInterval = 60

    private struct Seen: Sendable {
        var revision: Revision
        var rank: Int
    }

    private let phone: String
    private var instances: [String: Seen] = [:]
    /// Of each activity, the newest revision that any of its cards showed.
    private var newest: [String: Revision] = [:]
    private var live: [String: Set<String>] = [:]
    private var duplicatesSince: [String: Date] = [:]
    private var leftBehindSince: [String: Date] = [:]
    /// Activities whose end was on the screen.
    private var ended: Set<String> = []
    /// Activities that the phone's owner took off, as the app has said.
    private var swiped: Set<String> = []
    /// Those of which the app could not say it, so that they may be started again.
    private var swipedUnseen: Set<String> = []
    private var excused: Set<String> { swiped.union(swipedUnseen) }
    /// Pushes that found a budget used up.
    private var exhaustedPushes: Set<String> = []
    private(set) var violations: [String] = []

    init(phone: String) { self.phone = phone }

    mutating func excuse(_ activities: Set<String>, isReported: Bool) {
        if isReported { swiped.formUnion(activities) } else { swipedUnseen.formUnion(activities) }
    }

    private mutating func violate(_ text: String, _ now: Date) {
        violations.append("\(phone) at \(Int(now.timeIntervalSince(Scenario.start))) s: \(text)")
    }

    /// Domain seconds.
    private(set) var longestDuplicates: TimeInterval = 0

    /// Whether two cards of one delivery are on the screen.
    var hasDuplicates: Bool { !duplicatesSince.isEmpty }

    // MARK: - At every moment

    /// - Parameter unreachable: cards whose tokens are gone, so that only their app can end them.
    mutating func note(_ fleetPhone: FleetPhone, orders: [ScenarioOrder], unreachable: Set<UUID>, now: Date) {
        let cards = fleetPhone.phone.phone.rememberedCards
        var liveNow: [String: Set<String>] = [:]
        for card in cards {
            let activity = card.attributes.activity
            compare(card, now)
            if card.state.isShown { liveNow[activity, default: []].insert(card.id) }
            if card.state == .ended, !card.wasEndedBySystem, card.content.phase == .ended { ended.insert(activity) }
        }
        let reachable = cards.filter { card in
            card.state.isShown && !(card.attributes.card.flatMap(UUID.init).map(unreachable.contains) ?? false)
        }
        if !fleetPhone.phone.isOnline { duplicatesSince = duplicatesSince.mapValues { _ in now } }
        excuseRollOvers(reachable, fleetPhone.phone, now)
        compareDuplicates(Dictionary(grouping: reachable, by: \.attributes.activity).mapValues(\.count), now)
        compareLeftBehind(cards, fleetPhone.phone, now)
        compareTaken(liveNow, cards, orders, now)
        live = liveNow
        checkPushes(fleetPhone, now)
        checkBudgets(fleetPhone)
    }

    private mutating func compare(_ card: PhoneCard, _ now: Date) {
        let rank =
            switch card.state {
            case .pending, .active, .stale: 0
            case .ended: 1
            case .dismissed: 2
            }
        let activity = card.attributes.activity
        let revision = card.content.revision
        if let before = instances[card.id] {
            if revision < before.revision { violate("\(activity) went back from \(before.revision)", now) }
            if rank < before.rank { violate("\(activity) came back after its end", now) }
        } else {
            if let newest = newest[activity], revision < newest { violate("a new card of \(activity) is older", now) }
            if ended.contains(activity) { violate("another card of \(activity) came after its end", now) }
            if swiped.contains(activity) { violate("\(activity) came back after its owner took it off", now) }
        }
        instances[card.id] = Seen(revision: revision, rank: rank)
        newest[activity] = max(revision, newest[activity] ?? revision)
    }

    /// Until its last word a card stays beside the one that is to take its place, where no app uploads a token of that.
    private mutating func excuseRollOvers(_ cards: [PhoneCard], _ phone: PushedPhone, _ now: Date) {
        guard !phone.isAppRunning(at: now.epochSeconds) else { return }
        let ages = Limits.apns.replacedAfter..<Limits.apns.lastWordAfter
        for card in cards where ages.contains(TimeInterval(now.epochSeconds - card.startedAt)) {
            let activity = card.attributes.activity
            duplicatesSince[activity] = duplicatesSince[activity].map { _ in now }
        }
    }

    private mutating func compareDuplicates(_ counts: [String: Int], _ now: Date) {
        duplicatesSince = duplicatesSince.filter { counts[$0.key, default: 0] > 1 }
        for (activity, count) in counts where count > 1 {
            let since = duplicatesSince[activity] ?? now
            duplicatesSince[activity] = since
            longestDuplicates = max(longestDuplicates, now.timeIntervalSince(since))
            if now.timeIntervalSince(since) > Self.duplicatesMax {
                violate("\(count) cards of \(activity) for \(Int(now.timeIntervalSince(since))) s", now)
                duplicatesSince[activity] = now
            }
        }
    }

    /// What the system has ended goes by its app, once another card lives: no push can take it off.
    private mutating func compareLeftBehind(_ cards: [PhoneCard], _ phone: PushedPhone, _ now: Date) {
        let left = Set(Self.leftBehind(cards).map(\.attributes.activity))
        let hasApp = phone.isOnline && phone.isAppRunning(at: now.epochSeconds)
        leftBehindSince = hasApp ? leftBehindSince.filter { left.contains($0.key) } : [:]
        for activity in left where hasApp {
            let since = leftBehindSince[activity] ?? now
            leftBehindSince[activity] = since
            if now.timeIntervalSince(since) > Self.leftBehindMax {
                violate("an ended card of \(activity) is beside its successor for too long", now)
                leftBehindSince[activity] = now
            }
        }
    }

    /// Cards that the system has ended and that are beside one that lives.
    private static func leftBehind(_ cards: [PhoneCard]) -> [PhoneCard] {
        let live = Set(cards.filter(\.state.isShown).map(\.attributes.activity))
        return cards.filter { $0.state == .ended && $0.wasEndedBySystem && live.contains($0.attributes.activity) }
    }

    /// A card of an open order goes only by its owner's hand, by its successor, or by the system.
    private mutating func compareTaken(
        _ liveNow: [String: Set<String>], _ cards: [PhoneCard], _ orders: [ScenarioOrder], _ now: Date
    ) {
        let byID = Dictionary(uniqueKeysWithValues: cards.map { ($0.id, $0) })
        for (activity, before) in live where liveNow[activity, default: []].isEmpty {
            guard !excused.contains(activity), let order = orders.first(where: { $0.activity.rawValue == activity }),
                !order.isOver
            else { continue }
            let isSystems = before.contains { byID[$0]?.wasEndedBySystem ?? true }
            if !isSystems { violate("\(activity) was taken off, though its order is open", now) }
        }
    }

    // MARK: - Pushes

    /// Budgets that a script used up, until when.
    var exhaustedUntil = Date.distantPast

    /// A budget that a script has not used up has room for whatever is sent: by when the push came, which is earlier than
    /// when it is seen here.
    private mutating func checkBudgets(_ fleetPhone: FleetPhone) {
        for line in fleetPhone.log where [.budgetExhausted, .startBudgetExhausted].contains(line.outcome) {
            let cameAt = Date(timeIntervalSince1970: TimeInterval(line.at))
            guard exhaustedPushes.insert(line.id).inserted, cameAt > exhaustedUntil else { continue }
            let until = Int(exhaustedUntil.timeIntervalSince(Scenario.start))
            violate("\(line.outcome.rawValue), and a script had used it up until \(until) s", cameAt)
        }
    }

    private mutating func checkPushes(_ fleetPhone: FleetPhone, _ now: Date) {
        for (outcome, count) in fleetPhone.counts {
            guard let outcome = PushOutcome(rawValue: outcome), count > 0 else { continue }
            switch outcome {
            case .applied, .stored, .replaced, .expired, .notStored, .older, .repeated, .alreadyEnded, .notStarted,
                .denied, .deafToken, .targetMaximumExceeded, .budgetExhausted, .startBudgetExhausted:
                continue
            case .unreadable, .otherToken, .otherAttributesType, .undecodable, .tooLarge, .channelUnsupported,
                .startWithoutAlert, .startWithoutAttributes:
                violate("a push was \(outcome.rawValue)", now)
            }
        }
    }

    // MARK: - At the end

    /// Where the screen does not show now what its orders are.
    func untruths(on fleetPhone: FleetPhone, orders: [ScenarioOrder]) -> [String] {
        let cards = fleetPhone.phone.phone.rememberedCards
        var found: [String] = []
        for order in orders {
            guard let written = order.written else { continue }
            let activity = order.activity.rawValue
            let mine = cards.filter { $0.attributes.activity == activity }
            let liveCards = mine.filter(\.state.isShown)
            switch written {
            case .show:
                let isAllowed = excused.contains(activity) ? liveCards.count <= 1 : liveCards.count == 1
                if !isAllowed {
                    found.append("\(activity) is open and has \(liveCards.count) cards: \(mine.map(\.state))")
                }
                for card in liveCards where card.content.revision != written.content.revision {
                    found.append("\(activity) shows \(card.content.revision), not \(written.content.revision)")
                }
                for card in liveCards where card.state == .stale { found.append("\(activity) is stale") }
                if !Self.leftBehind(mine).isEmpty { found.append("\(activity) has an ended card beside its live one") }
            case .ended(let ended):
                if !liveCards.isEmpty { found.append("\(activity) is over and has \(liveCards.count) live cards") }
                if mine.contains(where: { $0.state == .ended && $0.wasEndedBySystem }) {
                    found.append("\(activity) is over, and what the system has ended is still there")
                }
                for card in mine where card.state == .ended && !card.wasEndedBySystem {
                    if card.content != ended.content, card.content.phase != .ended {
                        found.append("\(activity) ended with \(card.content.revision)")
                    }
                    if let dismissedAt = card.dismissedAt, dismissedAt > (card.endedAt ?? 0) + 16 * 60 {
                        found.append("\(activity) stays until \(dismissedAt)")
                    }
                }
            }
        }
        return found.map { "\(phone): \($0)" }
    }
}

extension PhoneCard.State {
    /// Whether it is on the screen and pushes change it; what is scheduled is on none.
    fileprivate var isShown: Bool { isLive && self != .pending }
}
