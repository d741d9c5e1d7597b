import Foundation
import LiveActivity

/// A push to one card as the ledger has it, and what the phone's app has told of it since.
///
/// Apple says of no push whether a phone showed it. All that can be known comes from what an app sees when it runs: the
/// newest content that the phone applied.
struct LedgerPush: Hashable, Sendable {
    let id: Int
    let event: Push.Event
    let priority: Int
    let revision: Revision
    /// Domain time.
    let sentAt: Date
    /// The code of its result; nil while nobody knows.
    let result: String?
    /// When the app first told that the phone shows it.
    var seenAt: Date?
    /// When the app last looked and it had not come.
    var missedAt: Date?

    /// Whether the phone may have received it.
    fileprivate var mayHaveArrived: Bool { result == nil || result == "taken" || result == "unknown" }
}

/// What an app saw of one card at one time.
struct CardObservation: Hashable, Sendable {
    let card: UUID
    /// Of the content on the screen; nil where the app said only that the card is there.
    let revision: Revision?
    /// Domain time.
    let at: Date
    /// The newest revision that it had reported of the card before.
    let former: Revision?
    /// Whether the app itself put that content on the card, so that it proves of no push that it arrived.
    var isUpdatedByApp = false
}

extension [LedgerPush] {
    /// Notes what a look at their card proves, and nothing that it does not.
    ///
    /// - the first sight of a revision proves that the one push which carried it arrived. Where several did, at least
    ///   one of them: the first counts if they were of one priority, else none. A card of which nothing was known before
    ///   has to have been started from here with an older revision: an app starts its own with what is true then;
    /// - a newer push that was accepted ten seconds before or earlier had not come yet;
    /// - of older pushes nothing: one that arrived and was replaced looks as one that never came.
    mutating func apply(_ observation: CardObservation) {
        for index in indices where self[index].event == .start && self[index].mayHaveArrived {
            if self[index].sentAt <= observation.at { self[index].note(seenAt: observation.at) }
        }
        guard let revision = observation.revision else { return }
        let isNew =
            observation.former.map { $0 < revision } ?? contains { $0.event == .start && $0.revision < revision }
        if isNew, !observation.isUpdatedByApp { applySight(of: revision, at: observation.at) }
        for index in indices where self[index].result == "taken" && self[index].revision > revision {
            guard self[index].sentAt.addingTimeInterval(Card.deliveryGrace) <= observation.at else { continue }
            self[index].missedAt = Swift.max(self[index].missedAt ?? observation.at, observation.at)
        }
    }

    private mutating func applySight(of revision: Revision, at time: Date) {
        let carriers = indices.filter {
            self[$0].revision == revision && self[$0].event != .start && self[$0].mayHaveArrived
        }
        // A start of this revision, and not an update, may be what is seen.
        guard !contains(where: { $0.event == .start && $0.revision == revision }) else { return }
        if carriers.count == 1 {
            self[carriers[0]].note(seenAt: time)
        } else {
            let sent = carriers.filter { self[$0].sentAt <= time }
            guard let first = sent.first, sent.allSatisfy({ self[$0].priority == self[first].priority }) else { return }
            self[first].note(seenAt: time)
        }
    }
}

extension LedgerPush {
    fileprivate mutating func note(seenAt time: Date) { seenAt = Swift.min(seenAt ?? time, time) }
}
