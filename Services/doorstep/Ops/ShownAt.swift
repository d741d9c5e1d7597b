import CardPresentation
import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import PhoneRules

/// What the phones of a delivery showed at one moment, drawn anew from the ledger by the rules of a phone.
///
/// It is what each phone showed if it took every push that left for it: a push that never arrived, and a card that was
/// swiped away, are not in the ledger. Nor is the start of a card that its app started: that is drawn from its first
/// update on.
struct ShownAt {
    let lines: [String]

    /// - Parameter at: domain time.
    init(_ activities: [ActivityBody], at: Date, words: Words, timeZone: TimeZone) {
        let all = activities.flatMap(CardPushes.all)
        let sent = all.flatMap(\.pushes).contains { $0.at <= at }
        let cards = all.compactMap { $0.leftBy(at) }
        var lines: [String] = []
        for (device, cards) in Dictionary(grouping: cards, by: \.device).sorted(by: { $0.key < $1.key }) {
            lines += Self.device(device, cards, at: at, words: words, timeZone: timeZone)
        }
        if !sent { lines.append("nothing had been sent to any device by \(at.clock(in: timeZone))") }
        self.lines = lines.map(\.safeOnTerminal)
    }

    private static func device(
        _ device: String, _ cards: [CardPushes], at: Date, words: Words, timeZone: TimeZone
    ) -> [String] {
        let now = Int(at.timeIntervalSince1970)
        let phone = phone(cards, now: now)
        let pushes = cards.flatMap(\.pushes)
        let unknown = pushes.count { $0.rendered == nil }
        var lines = ["\(device) at \(at.clock(in: timeZone, withSeconds: true))"]
        for card in phone.lockScreen {
            lines += LockScreenDrawing(face: CardFace(card, words: words, now: now, in: .terminal), hasDigits: false)
                .drawing.lines
                .map(
                    \.text)
            lines.append("  \(caption(card, pushes, now: now))")
        }
        let unseen = cards.filter { phone[card: $0.card] == nil && $0.isLocal }
        for card in unseen {
            let since = card.startedAt.map { " since \($0.clock(in: timeZone))" } ?? ""
            lines.append(
                "  a card that no known push started\(since): what it showed before its first update is not known")
        }
        if phone.lockScreen.isEmpty, unseen.isEmpty { lines.append("  no card") }
        if unknown > 0 { lines.append("  \(unknown) pushes are not drawn: what they rendered is not in the ledger") }
        return lines + [""]
    }

    /// What is drawn anew, one after the other.
    private struct Step {
        enum Event {
            case localStart(ShownActivity)
            case push(PushPayload)
        }

        let at: Date
        /// Among those of one time.
        let order: Int
        let card: String
        let does: Event
    }

    /// A phone that took what was sent to these cards.
    private static func phone(_ cards: [CardPushes], now: Int) -> Phone {
        var phone = Phone(activitiesMax: .max, now: 0)
        let steps = cards.flatMap { card in
            let pushes = card.pushes.compactMap { push in
                push.rendered.map { Step(at: push.at, order: 1, card: card.card, does: .push($0.asStarted)) }
            }
            guard let (at, shown) = card.localStart else { return pushes }
            return [Step(at: at, order: 0, card: card.card, does: .localStart(shown))] + pushes
        }
        for step in steps.sorted(by: { ($0.at, $0.order) < ($1.at, $1.order) }) {
            let time = Int(step.at.timeIntervalSince1970)
            switch step.does {
            case .localStart(let shown): _ = try? phone.startFromApp(shown, card: step.card, at: time)
            case .push(let payload): _ = phone.receive(payload, card: step.card, at: time)
            }
        }
        _ = phone.advance(to: now)
        return phone
    }

    /// Since when it shows that, and whether the transport is known to have accepted it.
    private static func caption(_ card: PhoneCard, _ pushes: [ActivityTimelineEntryBody], now: Int) -> String {
        let push = pushes.last { $0.card == card.id && $0.timestamp == card.timestamp }
        let accepted = push?.result == "taken" ? "accepted" : "sent, and whether it was accepted is not known"
        let revision = "version \(card.content.revision.version), step \(card.content.revision.step)"
        return "\(card.state.rawValue), \(revision), \(accepted) \(max(0, now - card.timestamp)) s before"
    }
}

/// What was sent to one card and may have left, oldest first.
private struct CardPushes {
    let device: String
    let card: String
    let attributes: GroceryDeliveryAttributes
    let startedAt: Date?
    private(set) var pushes: [ActivityTimelineEntryBody]

    /// Those of an activity.
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

    /// What had left by a time; nil where the card was not there yet.
    func leftBy(_ time: Date) -> CardPushes? {
        var left = self
        left.pushes.removeAll { $0.at > time }
        guard left.pushes.isEmpty else { return left }
        return isLocal && startedAt.map { $0 <= time } ?? false ? left : nil
    }

    /// Whether the ledger has no start of it, though it has begun.
    var isLocal: Bool { !pushes.contains(where: \.isStart) && startedAt != nil }

    /// For a card without a start that can be drawn: what its first update says, from its beginning on.
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

    /// Whether it may have reached a phone; without a result nobody knows.
    fileprivate var mayHaveLeft: Bool { result == nil || result == "taken" || result == "unknown" }
}

extension PushPayload {
    /// The same with an alert on a start, which the ledger leaves out and without which a phone shows nothing.
    fileprivate var asStarted: PushPayload {
        guard let attributes = aps.attributes, aps.alert == nil else { return self }
        var payload = self
        payload.aps.alert = .quiet(attributes)
        return payload
    }
}
