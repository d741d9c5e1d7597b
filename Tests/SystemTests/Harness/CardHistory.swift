import LiveActivity
import PhoneRules

/// One push as a device saw it.
struct SeenPush: Hashable, Sendable, CustomStringConvertible {
    let sequence: Int
    let event: PushPayload.Event
    let timestamp: Int
    let content: GroceryDeliveryAttributes.ContentState
    let dismissalDate: Int?

    var description: String {
        let revision = content.revision
        return
            "#\(sequence) \(event.rawValue) \(content.headline.code) v\(revision.version).\(revision.step) t\(timestamp)"
    }
}

/// All that a device was sent about one card.
struct CardHistory: Sendable {
    let card: String
    let activity: String
    /// Nil on a summary.
    let delivery: String?
    var pushes: [SeenPush] = []

    var last: SeenPush? { pushes.last }
    var hasEnded: Bool { last?.event == .end }

    func hasShown(_ phase: Phase) -> Bool { pushes.contains { $0.content.phase == phase } }

    var story: String { "card \(card.prefix(8)) of \(activity): " + pushes.map(\.description).joined(separator: ", ") }
}

/// What a device was sent and what a phone made of it, with every breach of what a card may never do.
struct Screen: Sendable {
    private(set) var phone: Phone
    private(set) var cards: [String: CardHistory] = [:]
    /// The newest id of the stream; where a reader resumes.
    private(set) var lastSequence = 0
    private(set) var breaches: [String] = []

    init(now: Int) { phone = Phone(now: now) }

    /// Takes a push in as a phone does, and notes what must never be: an id twice, a screen that goes back, a second
    /// card of one activity, or a push that a phone would refuse: late, repeated, or about a card that is over.
    mutating func receive(_ body: PushEnvelope, sequence: Int, now: Int) -> [CardEvent] {
        let aps = body.payload.aps
        let push = SeenPush(
            sequence: sequence, event: aps.event, timestamp: aps.timestamp, content: aps.contentState,
            dismissalDate: aps.dismissalDate)
        if sequence <= lastSequence { breaches.append("the id \(sequence) came after \(lastSequence): \(push)") }
        lastSequence = max(lastSequence, sequence)
        var history =
            cards[body.card] ?? CardHistory(card: body.card, activity: body.activity, delivery: body.delivery)
        if let last = history.last {
            if push.content.revision < last.content.revision {
                breaches.append("\(push) went back: \(history.story)")
            }
            if push.timestamp <= last.timestamp { breaches.append("\(push) is no later than: \(history.story)") }
        } else if let other = cards.values.first(where: { $0.activity == body.activity }) {
            breaches.append("\(push) is a second card: \(other.story)")
        }
        if let refusal = phone.refusal(of: body.payload, card: body.card) {
            breaches.append("a phone refuses \(push) (\(refusal.rawValue)): \(history.story)")
        }
        history.pushes.append(push)
        cards[body.card] = history
        return phone.receive(body.payload, card: body.card, at: now)
    }

    mutating func advance(to now: Int) -> [CardEvent] { phone.advance(to: now) }

    func cards(of delivery: String) -> [CardHistory] { cards.values.filter { $0.delivery == delivery } }

    var summaries: [CardHistory] { cards.values.filter { $0.delivery == nil } }

    var story: String { cards.values.map(\.story).sorted().joined(separator: "\n") }
}

/// The data of one event of a device's stream, decoded with default strategies as a phone would.
struct PushEnvelope: Decodable, Sendable {
    let card: String
    let activity: String
    let delivery: String?
    let payload: PushPayload
}
