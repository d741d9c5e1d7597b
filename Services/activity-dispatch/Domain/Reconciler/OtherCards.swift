import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// A device's cards, indexed for decisions about one of them and updated with each change.
///
/// Every query is about the other cards, and the given card may be among them. A query's cost is bounded by the cards
/// that a device may show, however many wait, so that a whole device costs hardly more than its cards.
struct OtherCards: Sendable {
    /// A waiting card among those of its customer, in the order in which they get free slots.
    private struct Waiting: Sendable {
        let place: Place
        let startAt: Int
        let card: UUID
        /// The alert of a question that waits for the customer, unless it was announced; nil for every other state.
        let question: ActivityAlert?
    }

    /// The rank of a waiting card: a successor of a card precedes cards that never had a slot, then the order of
    /// display decides.
    private struct Place: Comparable, Sendable {
        let isReplacement: Bool
        let rank: Activity.DisplayRank

        init(_ one: ActivityCard) {
            isReplacement = one.card.replaces != nil
            rank = one.activity.displayRank
        }

        static func < (left: Place, right: Place) -> Bool {
            left.isReplacement == right.isReplacement ? left.rank < right.rank : left.isReplacement
        }
    }

    /// Cards that have one of the phone's slots, or may have.
    private var slots: Set<UUID> = []
    /// The time of each start that is not confirmed.
    private var unconfirmed: [UUID: Date] = [:]
    /// Cards that wait or are on the screen.
    private var openByActivity: [ActivityID: [UUID: Card.State]] = [:]
    /// Cards that replace one, by the one.
    private var replacements: [UUID: [UUID: Card]] = [:]
    private var waiting: [CustomerID: [Waiting]] = [:]
    /// Cards that their app has scheduled: these have slots before anyone sees them.
    private var scheduled: [UUID: Activity.DisplayRank] = [:]

    init(_ cards: [ActivityCard] = []) {
        for one in cards { count(one) }
        for customer in waiting.keys { waiting[customer]?.sort { $0.place < $1.place } }
    }

    /// Inserts a new card, after those of its rank.
    mutating func insert(_ one: ActivityCard) {
        count(one)
        waiting[one.activity.customer]?.sort { $0.place < $1.place }
    }

    /// Records that a card has changed; its activity has not.
    mutating func update(_ former: ActivityCard, to one: ActivityCard) {
        guard
            former.card.state != one.card.state || former.card.replaces != one.card.replaces
                || former.card.isScheduled != one.card.isScheduled || former.card.alertedIDs != one.card.alertedIDs
        else {
            if let replaced = one.card.replaces { replacements[replaced]?[one.card.id] = one.card }
            return
        }
        remove(former)
        if one.card.isUnscheduled { insert(one) } else { count(one) }
    }

    private mutating func count(_ one: ActivityCard) {
        let card = one.card
        if card.hasSlot { slots.insert(card.id) }
        if card.state == .starting { unconfirmed[card.id] = card.startedAt }
        if card.isScheduled { scheduled[card.id] = one.activity.displayRank }
        if card.state == .waiting || card.state.isOnScreen {
            openByActivity[card.activity, default: [:]][card.id] = card.state
        }
        if let replaced = card.replaces { replacements[replaced, default: [:]][card.id] = card }
        if card.isUnscheduled, case .show(let shown) = one.activity.wanted {
            waiting[one.activity.customer, default: []].append(
                Waiting(
                    place: Place(one), startAt: shown.startAt, card: card.id,
                    question: shown.content.isWaitingForCustomer ? shown.alert.flatMap(card.unlessAlerted) : nil))
        }
    }

    private mutating func remove(_ one: ActivityCard) {
        let card = one.card
        slots.remove(card.id)
        unconfirmed[card.id] = nil
        scheduled[card.id] = nil
        openByActivity[card.activity]?[card.id] = nil
        if let replaced = card.replaces { replacements[replaced]?[card.id] = nil }
        if card.state == .waiting { waiting[one.activity.customer]?.removeAll { $0.card == card.id } }
    }

    /// Whether another card of the same activity has a slot, or may have; the one that this replaces aside.
    func showsAnother(for candidate: ActivityCard) -> Bool {
        hasAnother(of: candidate.card) { id, state in state.isOnScreen && id != candidate.card.replaces }
    }

    /// Whether another card of its activity waits or is on the screen.
    func hasAnother(of card: Card) -> Bool { hasAnother(of: card) { _, _ in true } }

    /// Whether another card of its activity is certain to be on the screen.
    func hasActiveDuplicate(of card: Card) -> Bool { hasAnother(of: card) { _, state in state == .active } }

    private func hasAnother(of card: Card, where matches: (UUID, Card.State) -> Bool) -> Bool {
        openByActivity[card.activity]?.contains { $0.key != card.id && matches($0.key, $0.value) } ?? false
    }

    /// Whether the device has a slot left for a card: cards on the screen keep theirs, free slots go to what arrives
    /// first.
    ///
    /// A replaced card keeps its slot until its end was sent, and so does its successor.
    /// - Parameter leavingOut: a card whose slot counts as free.
    func hasRoom(for candidate: ActivityCard, leavingOut: UUID? = nil, limits: Limits, now: Date) -> Bool {
        let excluded = Set([candidate.card.id, leavingOut].compactMap(\.self))
        var ahead = slotsUsed(leavingOut: excluded, limits: limits, now: now)
        guard ahead < limits.cardsPerDeviceMax else { return false }
        let place = Place(candidate)
        for other in waiting[candidate.activity.customer] ?? [] {
            guard other.place < place else { break }
            guard other.startAt <= now.epochSeconds, !excluded.contains(other.card) else { continue }
            ahead += 1
            if ahead >= limits.cardsPerDeviceMax { return false }
        }
        return true
    }

    /// The number of slots in use; a start that was never confirmed has none once the system has certainly ended its card.
    private func slotsUsed(leavingOut excluded: Set<UUID> = [], limits: Limits, now: Date) -> Int {
        slots.count { card in
            guard !excluded.contains(card) else { return false }
            return unconfirmed[card].map { now < $0.addingTimeInterval(limits.leftToSystemAfter) } ?? true
        }
    }

    /// Whether a card that is to start now has no slot left but a scheduled card's: the scheduled cards that are
    /// displayed last leave theirs.
    ///
    /// A replacement has the slot of its predecessor.
    func needsSlot(of candidate: ActivityCard, limits: Limits, now: Date) -> Bool {
        let due = waiting[candidate.activity.customer]?.count { one in
            !one.place.isReplacement && one.startAt <= now.epochSeconds
        }
        let missing = slotsUsed(limits: limits, now: now) + (due ?? 0) - limits.cardsPerDeviceMax
        return missing > 0 && scheduled.values.count { candidate.activity.displayRank < $0 } < missing
    }

    /// The alerts of due questions whose own cards have no slot and that no card has announced, in the order of display.
    func questionsWithoutSlot(of customer: CustomerID, limits: Limits, now: Date) -> [ActivityAlert] {
        let due = (waiting[customer] ?? []).filter { $0.startAt <= now.epochSeconds }
        let free = limits.cardsPerDeviceMax - slotsUsed(limits: limits, now: now)
        return due.dropFirst(max(0, free)).compactMap(\.question)
    }

    /// The other cards that replace this one, or will.
    func replacements(of card: Card) -> [Card] {
        replacements[card.id]?.values.filter { $0.id != card.id && $0.state != .lost } ?? []
    }
}
