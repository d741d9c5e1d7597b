package import LiveActivity
package import PhoneRules

/// One push as a device received it.
package struct ReceivedPush: Hashable, Sendable, CustomStringConvertible {
    package let sequence: Int
    package let event: PushPayload.Event
    package let timestamp: Int
    package let content: GroceryDeliveryAttributes.ContentState
    package let dismissalDate: Int?

    package var description: String {
        let revision = content.revision
        return
            "#\(sequence) \(event.rawValue) \(content.headline.code) v\(revision.version).\(revision.step) t\(timestamp)"
    }
}

/// Every push that a device received for one card.
package struct CardHistory: Sendable {
    package let card: String
    package let activity: String
    /// Nil on a summary.
    package let delivery: String?
    package var pushes: [ReceivedPush] = []

    package var last: ReceivedPush? { pushes.last }
    package var hasEnded: Bool { last?.event == .end }

    package func hasShown(_ phase: Phase) -> Bool { pushes.contains { $0.content.phase == phase } }

    package var log: String {
        "card \(card.prefix(8)) of \(activity): " + pushes.map(\.description).joined(separator: ", ")
    }
}

/// The pushes that a device received and the state a phone would show, with every violation of a card's invariants.
package struct Screen: Sendable {
    package private(set) var phone: Phone
    package private(set) var cards: [String: CardHistory] = [:]
    /// The newest id of the stream; where a reader resumes.
    package private(set) var lastSequence = 0
    package private(set) var violations: [String] = []

    package init(now: Int) { phone = Phone(now: now) }

    /// Applies a push as a phone does, and records violations: an id twice, a screen that goes back, a second
    /// card of one activity, or a push that a phone would refuse: late, repeated, or about a card that is over.
    package mutating func receive(_ body: PushEnvelope, sequence: Int, now: Int) -> [CardEvent] {
        let aps = body.payload.aps
        let push = ReceivedPush(
            sequence: sequence, event: aps.event, timestamp: aps.timestamp, content: aps.contentState,
            dismissalDate: aps.dismissalDate)
        if sequence <= lastSequence { violations.append("the id \(sequence) came after \(lastSequence): \(push)") }
        lastSequence = max(lastSequence, sequence)
        var history =
            cards[body.card] ?? CardHistory(card: body.card, activity: body.activity, delivery: body.delivery)
        if let last = history.last {
            if push.content.revision < last.content.revision {
                violations.append("\(push) went back: \(history.log)")
            }
            if push.timestamp <= last.timestamp { violations.append("\(push) is no later than: \(history.log)") }
        } else if let other = cards.values.first(where: { $0.activity == body.activity }) {
            violations.append("\(push) is a second card: \(other.log)")
        }
        if let refusal = phone.refusal(of: body.payload, card: body.card) {
            violations.append("a phone refuses \(push) (\(refusal.rawValue)): \(history.log)")
        }
        history.pushes.append(push)
        cards[body.card] = history
        return phone.receive(body.payload, card: body.card, at: now)
    }

    package mutating func advance(to now: Int) -> [CardEvent] { phone.advance(to: now) }

    package func cards(of delivery: String) -> [CardHistory] { cards.values.filter { $0.delivery == delivery } }

    package var summaries: [CardHistory] { cards.values.filter { $0.delivery == nil } }

    package var log: String { cards.values.map(\.log).sorted().joined(separator: "\n") }
}

/// The data of one event of a device's stream, decoded with default strategies as a phone would.
package struct PushEnvelope: Decodable, Sendable {
    package let card: String
    package let activity: String
    package let delivery: String?
    package let payload: PushPayload
}
