import EmulatorAPI
import LiveActivity
import PhoneRules

/// Follows what phones show, and records where one broke what must hold at any moment.
actor PhoneWatch {
    private struct Seen {
        let activity: String
        var revision: Revision
        var rank = 0
        /// When each alert lit the screen, epoch seconds.
        var alerts: [PushAlert: Int] = [:]
    }

    private static let interval = Duration.milliseconds(100)
    /// What may become of a push; a phone that does anything else was sent what it cannot take, or too much.
    private static let outcomes: Set<PushOutcome> = [
        .applied, .stored, .replaced, .expired, .older, .repeated, .alreadyEnded,
    ]

    private let phones: EmulatedPhones
    private let ids: [String]
    /// By phone and `Activity.id`.
    private var cards: [String: [String: Seen]] = [:]
    private(set) var violations: [String] = []

    init(_ phones: EmulatedPhones, of ids: [String]) {
        self.phones = phones
        self.ids = ids
    }

    /// Runs until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            for id in ids {
                if let phone = try? await phones.phone(id) { note(phone) }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func note(_ phone: EmulatedPhoneBody) {
        for card in phone.cards { note(card, on: phone.id) }
        for (name, count) in phone.counts where count > 0 {
            let isExpected = PushOutcome(rawValue: name).map { Self.outcomes.contains($0) } ?? false
            if !isExpected { violate("\(phone.id): a push was \(name)") }
        }
    }

    private func note(_ card: EmulatedPhoneBody.Card, on phone: String) {
        let activity = card.attributes.activity
        let (revision, rank) = (card.content.revision, card.state.rank)
        let others = cards[phone, default: [:]].filter { $0.key != card.instance }.values
        if others.contains(where: { $0.activity == activity }) { violate("\(phone): \(activity) has a second card") }
        var seen = cards[phone]?[card.instance] ?? Seen(activity: activity, revision: revision)
        if revision < seen.revision { violate("\(phone): \(activity) went back from \(seen.revision) to \(revision)") }
        if rank < seen.rank { violate("\(phone): \(activity) came back after its end") }
        if let alert = card.alert {
            let first = seen.alerts[alert.content, default: alert.at]
            if alert.at != first { violate("\(phone): \(activity) alerted twice: \(alert.content.title)") }
            seen.alerts[alert.content] = first
        }
        (seen.revision, seen.rank) = (revision, rank)
        cards[phone, default: [:]][card.instance] = seen
    }

    private func violate(_ text: String) {
        if !violations.contains(text) { violations.append(text) }
    }
}

extension PhoneCard.State {
    /// Rises over a card's life.
    fileprivate var rank: Int {
        switch self {
        case .pending, .active, .stale: 0
        case .ended: 1
        case .dismissed: 2
        }
    }
}
