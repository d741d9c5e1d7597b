import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

/// A device's cards as a decision about one of them needs them, kept up to date while the cards change.
///
/// Every question is about the other cards; the one that is asked for may be among them. Asking costs no more than the
/// cards that a device may show, however many wait, so that a whole device costs hardly more than its cards.
struct Neighbours: Sendable {
    /// A waiting card among those of its customer, in the order in which they get free slots.
    private struct Waiting: Sendable {
        let place: Place
        let startAt: Int
        let card: UUID
    }

    /// A place among those who wait: one that replaces a card comes before one that never had a slot, then what is
    /// shown first.
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

    private var onScreen = 0
    private var onScreenByActivity: [ActivityID: Set<UUID>] = [:]
    private var onScreenCards: Set<UUID> = []
    /// Cards that replace one, by the one.
    private var replacements: [UUID: [UUID: Card]] = [:]
    private var waiting: [CustomerID: [Waiting]] = [:]

    init(_ cards: [ActivityCard] = []) {
        for one in cards { count(one) }
        for customer in waiting.keys { waiting[customer]?.sort { $0.place < $1.place } }
    }

    /// Takes a card in that was not there, after those of its rank.
    mutating func insert(_ one: ActivityCard) {
        count(one)
        waiting[one.activity.customer]?.sort { $0.place < $1.place }
    }

    /// Takes in that a card has changed; its activity has not.
    mutating func update(_ former: ActivityCard, to one: ActivityCard) {
        guard former.card.state != one.card.state || former.card.replaces != one.card.replaces else {
            if let replaced = one.card.replaces { replacements[replaced]?[one.card.id] = one.card }
            return
        }
        remove(former)
        if one.card.state == .waiting { insert(one) } else { count(one) }
    }

    private mutating func count(_ one: ActivityCard) {
        let card = one.card
        if card.state.isOnScreen {
            onScreen += 1
            onScreenCards.insert(card.id)
            onScreenByActivity[card.activity, default: []].insert(card.id)
        }
        if let replaced = card.replaces { replacements[replaced, default: [:]][card.id] = card }
        if card.state == .waiting, case .show(let shown) = one.activity.wanted {
            waiting[one.activity.customer, default: []].append(
                Waiting(place: Place(one), startAt: shown.startAt, card: card.id))
        }
    }

    private mutating func remove(_ one: ActivityCard) {
        let card = one.card
        if card.state.isOnScreen {
            onScreen -= 1
            onScreenCards.remove(card.id)
            onScreenByActivity[card.activity]?.remove(card.id)
        }
        if let replaced = card.replaces { replacements[replaced]?[card.id] = nil }
        if card.state == .waiting { waiting[one.activity.customer]?.removeAll { $0.card == card.id } }
    }

    /// Whether another card of the same activity has a slot, or may have; the one that this replaces aside.
    func showsAnother(for candidate: ActivityCard) -> Bool {
        guard let cards = onScreenByActivity[candidate.card.activity] else { return false }
        return cards.contains { $0 != candidate.card.id && $0 != candidate.card.replaces }
    }

    /// Whether the device has a slot left for a card: cards on the screen keep theirs, free slots go to what arrives
    /// first.
    ///
    /// A card that is replaced has its slot until its end was sent, and so has the one that replaces it.
    /// - Parameter leavingOut: a card whose slot counts as free.
    func hasRoom(for candidate: ActivityCard, leavingOut: UUID? = nil, limits: Limits, now: Date) -> Bool {
        let excluded = Set([candidate.card.id, leavingOut].compactMap(\.self))
        var ahead = onScreen - excluded.count { onScreenCards.contains($0) }
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

    /// The other cards that replace this one, or will.
    func replacements(of card: Card) -> [Card] {
        replacements[card.id]?.values.filter { $0.id != card.id && $0.state != .lost } ?? []
    }
}
