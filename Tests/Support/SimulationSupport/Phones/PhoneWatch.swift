import EmulatorAPI
import LiveActivity
package import PhoneRules

/// Follows what phones show, and records where one broke what must hold at any moment.
package actor PhoneWatch {
    private struct Seen {
        let activity: String
        var revision: Revision
        var rank = 0
        /// When each alert lit the screen, epoch seconds.
        var alerts: [PushAlert: Int] = [:]
    }

    /// The legal outcomes of a push; any other outcome means an undecodable push, or too many.
    private static let outcomes: Set<PushOutcome> = [
        .applied, .stored, .replaced, .expired, .older, .repeated, .alreadyEnded, .notStarted,
    ]

    private let phones: EmulatedPhones
    private let ids: [String]
    private let outcomes: Set<PushOutcome>
    private let replacesCards: Bool
    private let interval: Duration
    /// The cards by phone and `Activity.id`.
    private var cards: [String: [String: Seen]] = [:]
    /// The violations by phone.
    private var violationsOf: [String: [String]] = [:]

    /// - Parameters:
    ///   - outcomes: the other legal outcomes of a push.
    ///   - replacesCards: whether an activity may have one card after another, as where a token is gone.
    ///   - interval: wall time between two readings of each phone.
    package init(
        _ phones: EmulatedPhones, of ids: [String], alsoAllowing outcomes: Set<PushOutcome> = [],
        replacesCards: Bool = false, every interval: Duration = .milliseconds(100)
    ) {
        self.phones = phones
        self.ids = ids
        self.outcomes = Self.outcomes.union(outcomes)
        self.replacesCards = replacesCards
        self.interval = interval
    }

    /// The violations of all phones.
    package var violations: [String] { ids.flatMap { violations(on: $0) } }

    package func violations(on phone: String) -> [String] { violationsOf[phone] ?? [] }

    /// Runs until it is cancelled.
    package func run() async {
        while !Task.isCancelled {
            for id in ids {
                if let phone = try? await phones.phone(id, hasPushes: false) { note(phone) }
            }
            try? await Task.sleep(for: interval)
        }
    }

    private func note(_ phone: EmulatedPhoneBody) {
        for card in phone.cards { note(card, on: phone.id) }
        for (name, count) in phone.counts where count > 0 {
            let isExpected = PushOutcome(rawValue: name).map { outcomes.contains($0) } ?? false
            if !isExpected { violate("a push was \(name)", on: phone.id) }
        }
    }

    private func note(_ card: EmulatedPhoneBody.Card, on phone: String) {
        let activity = card.attributes.activity
        let (revision, rank) = (card.content.revision, card.state.rank)
        let others = cards[phone, default: [:]].filter { $0.key != card.instance }.values
        if !replacesCards, others.contains(where: { $0.activity == activity }) {
            violate("\(activity) has a second card", on: phone)
        }
        var seen = cards[phone]?[card.instance] ?? Seen(activity: activity, revision: revision)
        if revision < seen.revision {
            violate("\(activity) went back from \(seen.revision) to \(revision)", on: phone)
        }
        if rank < seen.rank { violate("\(activity) came back after its end", on: phone) }
        if let alert = card.alert {
            let first = seen.alerts[alert.content, default: alert.at]
            if alert.at != first { violate("\(activity) alerted twice: \(alert.content.title)", on: phone) }
            seen.alerts[alert.content] = first
        }
        (seen.revision, seen.rank) = (revision, rank)
        cards[phone, default: [:]][card.instance] = seen
    }

    private func violate(_ text: String, on phone: String) {
        let text = "\(phone): \(text)"
        if violationsOf[phone]?.contains(text) != true { violationsOf[phone, default: []].append(text) }
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
