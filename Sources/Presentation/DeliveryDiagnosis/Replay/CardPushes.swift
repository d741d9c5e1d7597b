internal import DoorstepAPI
internal import Foundation
internal import LiveActivity

/// The pushes of one card that may have been sent, oldest first.
struct CardPushes {
    let device: String
    let card: String
    let attributes: GroceryDeliveryAttributes
    let startedAt: Date?
    private(set) var pushes: [ActivityTimelineEntryBody]

    /// The pushes of each of an activity's cards.
    static func all(_ activity: ActivityBody) -> [CardPushes] {
        let pushes = (activity.timeline ?? []).filter { $0.kind == "push" && $0.mayHaveLeft }
        let byCard = Dictionary(grouping: pushes) { $0.card ?? "" }
        let known = activity.cards.map { card in
            CardPushes(
                device: card.device, card: card.card, attributes: activity.wanted.attributes,
                startedAt: card.startedAt, pushes: byCard[card.card] ?? [])
        }
        let others = byCard.filter { card, _ in !activity.cards.contains { $0.card == card } }.map { card, pushes in
            CardPushes(
                device: pushes.first?.device ?? "?", card: card, attributes: activity.wanted.attributes,
                startedAt: nil, pushes: pushes)
        }
        return (known + others.sorted { $0.card < $1.card }).map(\.withoutStartsBeforeTheLast)
    }

    /// A card is started once more only if the start before has certainly not left.
    private var withoutStartsBeforeTheLast: CardPushes {
        var left = self
        let sorted = pushes.sorted { $0.at < $1.at }
        let last = sorted.lastIndex { $0.isStart }
        left.pushes = sorted.enumerated().filter { $0 == last || !$1.isStart }.map(\.element)
        return left
    }

    /// The pushes sent by a time; nil where the card did not exist yet.
    func leftBy(_ time: Date) -> CardPushes? {
        var left = self
        left.pushes.removeAll { $0.at > time }
        guard left.pushes.isEmpty else { return left }
        return isLocal && startedAt.map { $0 <= time } ?? false ? left : nil
    }

    /// Whether the ledger has no start of it, though it has begun.
    var isLocal: Bool { !pushes.contains(where: \.isStart) && startedAt != nil }

    /// For a card without a start that can be drawn: its first update's content, valid from the card's beginning.
    var localStart: (at: Date, shown: ShownActivity)? {
        guard !pushes.contains(where: { $0.isStart && $0.rendered != nil }),
            let first = pushes.first(where: { $0.rendered != nil }), let aps = first.rendered?.aps
        else { return nil }
        let shown = ShownActivity(
            attributes: attributes, content: aps.contentState, startAt: 0, staleAt: aps.staleDate ?? .max,
            relevance: aps.relevanceScore ?? 0, alert: nil)
        return (min(startedAt ?? first.at, first.at), shown)
    }
}

extension ActivityTimelineEntryBody {
    fileprivate var isStart: Bool { what == PushPayload.Event.start.rawValue }

    /// Whether the push may have reached a phone; without a recorded result, it may.
    fileprivate var mayHaveLeft: Bool { result == nil || result == "taken" || result == "unknown" }
}
